import type { ReactNode } from 'react';

/** A column of a table. Tables of all kinds take the same columns. */
export interface Column<Row> {
    id: string;
    header: string;
    cell(row: Row): ReactNode;
    /** A track of a CSS grid: `minmax(8rem, 1fr)`, `6rem`. */
    width?: string;
    align?: 'right';
    /** A header that is read but not shown. */
    hideHeader?: boolean;
    compare?(a: Row, b: Row): number;
}

/** A sort order as it stands in the URL: `name`, `-name`. */
export type Sort = string | undefined;

export function sortRows<Row>(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    sort: Sort,
): readonly Row[] {
    if (sort === undefined) return rows;
    const isDown = sort.startsWith('-');
    const compare = columns.find(column => column.id === sort.replace(/^-/, ''))?.compare;
    if (!compare) return rows;
    return rows.toSorted((a, b) => (isDown ? compare(b, a) : compare(a, b)));
}

/** Up, down, as it was. */
export function nextSort(sort: Sort, id: string): Sort {
    if (sort === id) return `-${id}`;
    return sort === `-${id}` ? undefined : id;
}
