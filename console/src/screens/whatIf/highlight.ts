/** What a piece of a scenario is, for its color. */
export type Kind = 'plain' | 'comment' | 'word' | 'time' | 'size' | 'option' | 'module' | 'name' | 'after';

export interface Piece {
    text: string;
    kind: Kind;
}

const MODULES = new Set(['training', 'notebook', 'service', 'task', 'DLC', 'DSW', 'EAS']);
const TIME = /^(\d+(d|h|ms|m|s))+$/;
const SIZE = /^(p[1-9]|[\d.]+(x[\d.]+)?|[\d.]+([KMGTP](iB)?))$/;
const STATEMENTS = new Set(
    'submit finish fail stop checkpoint priority resize transfer scale quota delete set node preview explain show'.split(
        ' ',
    ),
);
const WORDS = new Set(['for', 'refuse', 'drain', 'evict', 'lost', 'ready', 'cordoned', 'hang']);

/** Cuts a scenario into lines of pieces. Below `----` stands what was expected; it is not read. */
export function highlight(text: string): Piece[][] {
    let isAfter = false;
    return text.split('\n').map(line => {
        isAfter ||= line.startsWith('----');
        return isAfter ? [{ text: line, kind: 'after' as const }] : pieces(line);
    });
}

function pieces(line: string): Piece[] {
    const start = /^#|\s#/.exec(line);
    const end = start ? start.index + start[0].length - 1 : line.length;
    const all: Piece[] = [];
    let place = 0;
    let isStatement = false;
    for (const text of line.slice(0, end).split(/(\s+)/)) {
        if (text === '') continue;
        if (text.trim() === '') {
            all.push({ text, kind: 'plain' });
            continue;
        }
        const isFirst = place === 0 || isStatement;
        const kind = kindOf(text, isFirst, place);
        all.push({ text, kind });
        // After `at TIME`, and after `preview`, a statement begins.
        isStatement = kind === 'word' && text === 'preview' ? true : place === 1 && all[0]?.text === 'at';
        place += 1;
    }
    if (start) all.push({ text: line.slice(end), kind: 'comment' });
    return all;
}

function kindOf(text: string, isFirst: boolean, place: number): Kind {
    if (place === 0 && (text === 'pool' || text === 'quota' || text === 'at')) return 'word';
    if (isFirst && STATEMENTS.has(text)) return 'word';
    if (WORDS.has(text)) return 'word';
    if (TIME.test(text)) return 'time';
    if (SIZE.test(text)) return 'size';
    if (/^[a-z-]+=/.test(text)) return 'option';
    if (MODULES.has(text)) return 'module';
    return 'name';
}

export interface Spot {
    line: number;
    column: number;
}

/** Where a spot is in the text. Lines and columns count from 1. */
export function offsetOf(text: string, spot: Spot): number {
    const before = text.split('\n').slice(0, spot.line - 1);
    return before.reduce((sum, line) => sum + line.length + 1, 0) + spot.column - 1;
}
