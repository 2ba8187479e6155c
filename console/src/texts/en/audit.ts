/** Who changed what. */
export const audit = {
    title: 'Audit',
    about: 'Every change that a person or a program asked for, newest first. No request changes or removes a line of it.',
    columns: { at: 'When', by: 'Who', operation: 'Operation', what: 'What', from: 'From', more: 'Details' },
    filter: {
        user: 'Who',
        operation: 'Operation',
        from: 'Not before',
        to: 'Not after',
        clear: 'Show all',
    },
    anyOperation: 'All operations',
    export: 'Export as JSON lines',
    exportHint: 'All that the filter lets through, one entry on each line.',
    change: (kind: string, name: string, event: string) => `${kind} ${name} ${event}`,
    others: (count: number) => `and ${count} more`,
    archived: (number: number) =>
        `Events below number ${number} were archived: what they changed is in the files of the archive.`,
    empty: {
        title: 'Nothing was changed',
        filtered: 'No change fits the filter. Widen it to see more.',
        unfiltered:
            'As soon as somebody changes something, it is listed here with what was before and after.',
    },
    open: (number: number) => `Details of change ${number}`,
    request: 'Request',
    number: 'Number in the log',
    field: 'Field',
    before: 'Before',
    after: 'After',
    same: 'Nothing more is recorded of it.',
};
