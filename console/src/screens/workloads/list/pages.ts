import type { Workload, WorkloadList } from '../../../api/queries/workloads';

/** Where the pages of a list begin, as far as is known: each says where the next one does. `undefined`: the first. */
export function pageTokens(pages: readonly WorkloadList[], asked: number): (string | undefined)[] {
    const tokens: (string | undefined)[] = [undefined];
    while (tokens.length < asked) {
        const next = pages[tokens.length - 1]?.nextPageToken;
        if (next == null) break;
        tokens.push(next);
    }
    return tokens;
}

export interface Rows {
    rows: readonly Workload[];
    /** The page that each row stands on. */
    pageOf: readonly number[];
}

/**
 * The rows of all pages that fit. Pages are read at different times: as the list grows at its head, what was on one
 * page is on the next, so whatever was seen already is left out.
 */
export function rowsOf(pages: readonly WorkloadList[], fits: (row: Workload) => boolean): Rows {
    const seen = new Set<string>();
    const rows: Workload[] = [];
    const pageOf: number[] = [];
    pages.forEach((page, index) => {
        for (const row of page.items) {
            if (seen.has(row.metadata.uid)) continue;
            seen.add(row.metadata.uid);
            if (!fits(row)) continue;
            rows.push(row);
            pageOf.push(index);
        }
    });
    return { rows, pageOf };
}
