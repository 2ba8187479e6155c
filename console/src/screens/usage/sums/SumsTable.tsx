import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import type { Column } from '../../../ui/table';
import type { Group } from '../search';
import styles from '../Usage.module.css';
import { shown, type Layer, type Stack } from './stack';

const words = text.usage;

type Row = Layer | { label: string; total: number; isTotal: true };
const isTotal = (row: Row): row is Extract<Row, { isTotal: true }> => 'isTotal' in row;

/** What each has used in all, with its part of the whole. */
export function SumsTable({ stack, groups, unit }: { stack: Stack; groups: readonly Group[]; unit: string }) {
    const rows: Row[] = [...stack.layers, { label: words.total, total: stack.total, isTotal: true }];
    const columns: Column<Row>[] = [
        ...groups.map((group, index): Column<Row> => ({
            id: group,
            header: words.groups[group],
            cell: row =>
                isTotal(row) ? (
                    index === 0 && <strong>{row.label}</strong>
                ) : (
                    <>
                        {index === 0 && (
                            <span className={styles.key} style={{ background: `var(${row.color})` }} />
                        )}
                        {shown(group, row.of[group] ?? '')}
                    </>
                ),
        })),
        {
            id: 'hours',
            header: unit,
            align: 'right',
            width: '9rem',
            cell: row => (isTotal(row) ? <strong>{figure(row.total)}</strong> : figure(row.total)),
        },
        {
            id: 'share',
            header: words.share,
            width: '14rem',
            cell: row => !isTotal(row) && <Share layer={row} of={stack.total} />,
        },
    ];
    return <DataTable label={words.sums} columns={columns} rows={rows} rowKey={row => row.label} />;
}

function Share({ layer, of }: { layer: Layer; of: number }) {
    const percent = of > 0 ? Math.max(0, (100 * layer.total) / of) : 0;
    return (
        <>
            <span className={styles.share} aria-hidden="true">
                <span style={{ width: `${percent}%`, background: `var(${layer.color})` }} />
            </span>{' '}
            <span className={styles.small}>{percent.toFixed(percent < 10 ? 1 : 0)} %</span>
        </>
    );
}
