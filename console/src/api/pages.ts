import type { Page } from './client';

/** Where the pages of a list begin, as far as is known: each says where the next one does. `undefined`: the first. */
export function pageTokens(pages: readonly Page<unknown>[], asked: number): (string | undefined)[] {
    const tokens: (string | undefined)[] = [undefined];
    while (tokens.length < asked) {
        const next = pages[tokens.length - 1]?.nextPageToken;
        if (next == null) break;
        tokens.push(next);
    }
    return tokens;
}

export interface Rows<Row> {
    rows: readonly Row[];
    /** The page that each row stands on. */
    pageOf: readonly number[];
}

/**
 * The rows of all pages that fit. Pages are read at different times: as the list grows at its head, what was on one
 * page is on the next, so whatever was seen already is left out.
 */
export function rowsOf<Row>(
    pages: readonly Page<Row>[],
    idOf: (row: Row) => string,
    fits: (row: Row) => boolean,
): Rows<Row> {
    const seen = new Set<string>();
    const rows: Row[] = [];
    const pageOf: number[] = [];
    pages.forEach((page, index) => {
        for (const row of page.items) {
            const id = idOf(row);
            if (seen.has(id)) continue;
            seen.add(id);
            if (!fits(row)) continue;
            rows.push(row);
            pageOf.push(index);
        }
    });
    return { rows, pageOf };
}
