import { useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { text } from '../texts';
import { Icon } from './icons';
import type { Column } from './table';
import { flatten, type TreeNode } from './tree';
import styles from './TreeTable.module.css';

interface Props<Row> {
    label: string;
    /** The first column carries the tree. */
    columns: readonly Column<Row>[];
    roots: readonly TreeNode<Row>[];
    /** Ids of rows whose children are hidden. */
    closed: ReadonlySet<string>;
    onClosed(closed: ReadonlySet<string>): void;
    onOpen?(row: Row): void;
    empty?: ReactNode;
}

/**
 * A dense table over a tree, used as a tree grid: up and down move between rows, right and left open and close,
 * Enter opens what the row is about.
 */
export function TreeTable<Row>({ label, columns, roots, closed, onClosed, onOpen, empty }: Props<Row>) {
    const body = useRef<HTMLTableSectionElement>(null);
    const lines = useMemo(() => flatten(roots, closed), [roots, closed]);
    if (roots.length === 0 && empty !== undefined) return <>{empty}</>;

    const toggle = (id: string, isOpen: boolean) => {
        const next = new Set(closed);
        if (isOpen) next.delete(id);
        else next.add(id);
        onClosed(next);
    };
    const focus = (index: number) =>
        body.current?.querySelectorAll<HTMLElement>(':scope > tr')[index]?.focus();
    const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, index: number) => {
        const line = lines[index];
        if (event.target !== event.currentTarget || !line) return;
        const isOpen = !closed.has(line.node.id);
        if (event.key === 'ArrowDown') focus(index + 1);
        else if (event.key === 'ArrowUp') focus(index - 1);
        else if (event.key === 'ArrowRight' && line.node.children.length > 0) toggle(line.node.id, true);
        else if (event.key === 'ArrowLeft' && line.node.children.length > 0 && isOpen)
            toggle(line.node.id, false);
        else if (event.key === 'ArrowLeft') focus(lines.findIndex(one => one.node.id === line.parent));
        else if (event.key === 'Enter') onOpen?.(line.node.row);
        else return;
        event.preventDefault();
    };

    return (
        <div className={styles.scroll}>
            <table className={styles.table} role="treegrid" aria-label={label}>
                <thead>
                    <tr>
                        {columns.map(column => (
                            <th
                                key={column.id}
                                scope="col"
                                data-align={column.align}
                                style={{ width: column.width }}
                            >
                                <span className={column.hideHeader ? styles.hidden : undefined}>
                                    {column.header}
                                </span>
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody ref={body}>
                    {lines.map(({ node, level }, index) => {
                        const isParent = node.children.length > 0;
                        const isOpen = !closed.has(node.id);
                        return (
                            <tr
                                key={node.id}
                                aria-level={level}
                                aria-expanded={isParent ? isOpen : undefined}
                                tabIndex={index === 0 ? 0 : -1}
                                data-row={node.id}
                                onKeyDown={event => onKeyDown(event, index)}
                            >
                                {columns.map((column, place) => (
                                    <td key={column.id} role="gridcell" data-align={column.align}>
                                        {place === 0 ? (
                                            <div
                                                className={styles.first}
                                                style={{ paddingLeft: `${(level - 1) * 1.4}rem` }}
                                            >
                                                {isParent ? (
                                                    <button
                                                        type="button"
                                                        className={styles.toggle}
                                                        data-open={isOpen}
                                                        tabIndex={-1}
                                                        aria-label={
                                                            isOpen
                                                                ? text.common.collapse(node.id)
                                                                : text.common.expand(node.id)
                                                        }
                                                        onClick={() => toggle(node.id, !isOpen)}
                                                    >
                                                        <Icon name="chevron" size={16} />
                                                    </button>
                                                ) : (
                                                    <span className={styles.toggle} />
                                                )}
                                                {column.cell(node.row)}
                                            </div>
                                        ) : (
                                            column.cell(node.row)
                                        )}
                                    </td>
                                ))}
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}
