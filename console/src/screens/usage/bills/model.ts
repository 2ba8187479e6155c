import type { Bill, BillLine, Range } from '../../../api/queries/metering';
import { monthStart } from '../period';
import type { BillsSearch } from '../routes';

const iso = (ms: number) => new Date(ms).toISOString();

/** `2026-01` of a month that was so many months ago. */
export function monthName(now: number, back: number): string {
    return iso(monthStart(now, back)).slice(0, 7);
}

/** The period of a statement: a month in UTC, or one's own. */
export function billRange(search: Pick<BillsSearch, 'month' | 'from' | 'to'>, now: number): Range {
    if (search.from !== undefined || search.to !== undefined)
        return {
            from: search.from === undefined ? iso(monthStart(now, 0)) : iso(Date.parse(search.from)),
            to: search.to === undefined ? undefined : iso(Date.parse(search.to)),
        };
    const start =
        search.month === undefined ? monthStart(now, 0) : Date.parse(`${search.month}-01T00:00:00Z`);
    return { from: iso(start), to: iso(monthStart(start, -1)) };
}

/** What tells a line from all others of its statement. */
export function lineKey(line: BillLine): string {
    const { workspace, quota, mode, config, resource, price, from, correction } = line;
    return [workspace, quota, mode, config ?? '', resource, line.class, price, from, correction ?? ''].join(
        '~',
    );
}

/** Whether the records of a line are all of it: exact figures, which no rounding hides. */
export function sumOf(line: BillLine): { hours: number; isExact: boolean; count: number } {
    const records = line.records ?? [];
    const quantity = records.reduce((sum, one) => sum + BigInt(one.quantity), 0n);
    return {
        hours: records.reduce((sum, one) => sum + one.hours, 0),
        isExact: quantity === BigInt(line.quantity),
        count: records.length,
    };
}

const HEAD = [
    'workspace',
    'quota',
    'mode',
    'resource',
    'class',
    'from',
    'to',
    'hours',
    'quantity',
    'price',
    'discount',
    'cost',
    'currency',
    'correction',
    'config',
] as const;

/** The lines for a spreadsheet. */
export function csvOf({ lines, currency }: Pick<Bill, 'lines' | 'currency'>): string {
    const rows = lines.map(line => HEAD.map(name => (name === 'currency' ? currency : line[name])));
    return [HEAD, ...rows].map(row => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(value: string | number | null | undefined): string {
    const said = value == null ? '' : String(value);
    return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
}
