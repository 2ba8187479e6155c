import type { ReactNode } from 'react';
import type { Column } from './table';
import styles from './DataTable.module.css';

interface Props<Row> {
    label: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    rowKey(row: Row): string;
    /** Below a row, over all columns; `undefined`: nothing. */
    below?(row: Row): ReactNode | false;
    empty?: ReactNode;
}

/** A short table. On a phone each row is a card with the names of its columns; the roles keep it a table for readers. */
export function DataTable<Row>({ label, columns, rows, rowKey, below, empty }: Props<Row>) {
    if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
    return (
        <div className={styles.frame}>
            <table role="table" aria-label={label} className={styles.table}>
                <thead role="rowgroup">
                    <tr role="row">
                        {columns.map(column => (
                            <th
                                key={column.id}
                                role="columnheader"
                                scope="col"
                                style={{ width: column.width }}
                                data-align={column.align}
                            >
                                <span className={column.hideHeader ? styles.hidden : undefined}>
                                    {column.header}
                                </span>
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    {rows.map(row => (
                        <Row key={rowKey(row)} row={row} columns={columns} below={below?.(row)} />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Row<Row>(props: { row: Row; columns: readonly Column<Row>[]; below: ReactNode }) {
    const { row, columns, below } = props;
    return (
        <>
            <tr role="row">
                {columns.map(column => (
                    <td
                        key={column.id}
                        role="cell"
                        data-align={column.align}
                        data-label={column.hideHeader ? undefined : column.header}
                    >
                        {column.cell(row)}
                    </td>
                ))}
            </tr>
            {below !== undefined && below !== false && (
                <tr role="row" className={styles.below}>
                    <td role="cell" colSpan={columns.length}>
                        {below}
                    </td>
                </tr>
            )}
        </>
    );
}
