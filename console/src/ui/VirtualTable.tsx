import { useVirtualizer } from '@tanstack/react-virtual';
import {
    memo,
    useEffect,
    useMemo,
    useRef,
    type CSSProperties,
    type KeyboardEvent,
    type ReactNode,
} from 'react';
import { nextPlaces } from './places';
import { nextSort, sortRows, type Column, type Sort } from './table';
import styles from './VirtualTable.module.css';

interface Props<Row> {
    label: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    rowKey(row: Row): string;
    /** Opens a row: by click, and by Enter on it. */
    onOpen?(row: Row): void;
    sort?: Sort;
    onSort?(sort: Sort): void;
    empty?: ReactNode;
    height?: string;
    /** Which rows are drawn, by their index: for lists that are read as one scrolls. */
    onRange?(first: number, last: number): void;
}

const ROW_HEIGHT = 36;
/** So many rows are drawn beyond either edge. */
const OVERSCAN = 4;

/** A table of any length: only the rows that are seen are drawn. */
export function VirtualTable<Row>(props: Props<Row>) {
    const { columns, rows, rowKey, onOpen, sort, onSort, label, empty, height = '70vh', onRange } = props;
    const viewport = useRef<HTMLDivElement>(null);
    const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
    const virtual = useVirtualizer({
        count: sorted.length,
        getScrollElement: () => viewport.current,
        estimateSize: () => ROW_HEIGHT,
        overscan: OVERSCAN,
    });
    const items = virtual.getVirtualItems();
    const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
    useEffect(() => onRange?.(first, last), [onRange, first, last]);
    const placeOf = usePlaces(items.map(item => rowKey(sorted[item.index] as Row)));
    const tracks = columns.map(column => column.width ?? 'minmax(6rem, 1fr)').join(' ');
    if (sorted.length === 0 && empty !== undefined) return <>{empty}</>;
    return (
        <div
            ref={viewport}
            className={styles.viewport}
            style={{ maxHeight: height }}
            tabIndex={0}
            role="region"
            aria-label={label}
        >
            <div role="table" aria-label={label} aria-rowcount={sorted.length + 1} className={styles.table}>
                <div
                    role="row"
                    aria-rowindex={1}
                    className={styles.head}
                    style={{ gridTemplateColumns: tracks }}
                >
                    {columns.map(column => (
                        <Head key={column.id} column={column} sort={sort} onSort={onSort} />
                    ))}
                </div>
                <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
                    {items.map(item => {
                        const row = sorted[item.index] as Row;
                        return (
                            <MemoRow
                                // A row that comes takes the place of one that has gone: nothing is built anew.
                                key={placeOf.get(rowKey(row))}
                                row={row}
                                index={item.index}
                                columns={columns as readonly Column<unknown>[]}
                                onOpen={onOpen as ((row: unknown) => void) | undefined}
                                tracks={tracks}
                                start={item.start}
                            />
                        );
                    })}
                </div>
            </div>
        </div>
    );
}

/** A place for each row that is drawn. Who stays keeps theirs, with the focus; who comes takes one that is free. */
function usePlaces(drawn: readonly string[]): ReadonlyMap<string, number> {
    const places = useRef<ReadonlyMap<string, number>>(new Map());
    const next = nextPlaces(places.current, drawn);
    places.current = next;
    return next;
}

interface RowProps {
    row: unknown;
    index: number;
    columns: readonly Column<unknown>[];
    onOpen?: (row: unknown) => void;
    tracks: string;
    start: number;
}

const MemoRow = memo(function MemoRow({ row, index, columns, onOpen, tracks, start }: RowProps) {
    const style: CSSProperties = {
        gridTemplateColumns: tracks,
        transform: `translateY(${start}px)`,
        height: ROW_HEIGHT,
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen?.(row);
    };
    return (
        <div
            role="row"
            aria-rowindex={index + 2}
            className={styles.row}
            data-opens={onOpen ? true : undefined}
            style={style}
            tabIndex={onOpen ? 0 : undefined}
            onClick={onOpen && (() => onOpen(row))}
            onKeyDown={onKeyDown}
        >
            {columns.map(column => (
                <div key={column.id} role="cell" className={styles.cell} data-align={column.align}>
                    {column.cell(row)}
                </div>
            ))}
        </div>
    );
});

function Head<Row>({ column, sort, onSort }: { column: Column<Row>; sort: Sort; onSort?(sort: Sort): void }) {
    const direction = sort === column.id ? 'ascending' : sort === `-${column.id}` ? 'descending' : undefined;
    const canSort = column.compare !== undefined && onSort !== undefined;
    return (
        <div role="columnheader" aria-sort={direction} className={styles.cell} data-align={column.align}>
            {canSort ? (
                <button
                    type="button"
                    className={styles.sort}
                    onClick={() => onSort(nextSort(sort, column.id))}
                >
                    {column.header}
                    <span aria-hidden="true">
                        {direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}
                    </span>
                </button>
            ) : (
                <span className={column.hideHeader ? styles.hidden : undefined}>{column.header}</span>
            )}
        </div>
    );
}
