import { ActionIcon, Loader, Text } from '@mantine/core';
import type { Bill, BillLine } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import type { Column } from '../../../ui/table';
import { VirtualTable } from '../../../ui/VirtualTable';
import { ConfigLink, recordColumns, recordKey } from '../records/columns';
import usageStyles from '../Usage.module.css';
import styles from './Bills.module.css';
import { lineKey, sumOf } from './model';

const words = text.bills;

interface Props {
    bill: Bill;
    /** The key of the line that is open. */
    open: string | undefined;
    /** What is shown is not what was asked for yet. */
    isReading: boolean;
    onOpen(line: string | undefined): void;
}

/** The lines; each can be followed to the records that it is the sum of. */
export function BillLines({ bill, open, isReading, onOpen }: Props) {
    return (
        <DataTable
            label={words.lines}
            columns={columns(bill, open, onOpen)}
            rows={bill.lines}
            rowKey={lineKey}
            below={line => lineKey(line) === open && <Records line={line} isReading={isReading} />}
            empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
        />
    );
}

function Records({ line, isReading }: { line: BillLine; isReading: boolean }) {
    if (line.correction != null)
        return (
            <Text size="sm" className={styles.records}>
                {words.byCorrection(line.correction)}
            </Text>
        );
    if (isReading && line.records === undefined) return <Loader size="xs" />;
    const { hours, isExact, count } = sumOf(line);
    return (
        <div className={styles.records} data-testid="line-records">
            <Text size="sm" role="status">
                {isExact
                    ? words.adds(count, figure(hours))
                    : words.addsNot(count, figure(hours), figure(line.hours))}
            </Text>
            <VirtualTable
                label={words.records(count)}
                columns={recordColumns}
                rows={line.records ?? []}
                rowKey={recordKey}
                height="20rem"
            />
        </div>
    );
}

function columns(
    bill: Bill,
    open: string | undefined,
    onOpen: (line: string | undefined) => void,
): Column<BillLine>[] {
    const names = words.columns;
    const modes = text.usage.modes;
    return [
        {
            id: 'open',
            header: names.open,
            hideHeader: true,
            width: '2.5rem',
            cell: line => {
                const isOpen = lineKey(line) === open;
                return (
                    <ActionIcon
                        variant="subtle"
                        size="sm"
                        aria-label={words.openLine(bill.lines.indexOf(line) + 1)}
                        aria-expanded={isOpen}
                        onClick={() => onOpen(isOpen ? undefined : lineKey(line))}
                    >
                        <Icon name={isOpen ? 'collapse' : 'chevron'} size={16} />
                    </ActionIcon>
                );
            },
        },
        { id: 'workspace', header: names.workspace, cell: line => line.workspace },
        { id: 'quota', header: names.quota, cell: line => line.quota },
        {
            id: 'mode',
            header: names.mode,
            cell: line => (
                <span>
                    {modes[line.mode] ?? line.mode}{' '}
                    {line.config != null && <ConfigLink config={line.config} />}{' '}
                    {line.correction != null && (
                        <span className={usageStyles.small}>{words.correction(line.correction)}</span>
                    )}
                </span>
            ),
        },
        { id: 'resource', header: names.resource, cell: line => line.resource },
        {
            id: 'class',
            header: names.class,
            cell: line => text.usage.classes[line.class] ?? line.class,
        },
        { id: 'hours', header: names.hours, align: 'right', cell: line => figure(line.hours) },
        { id: 'price', header: names.price, align: 'right', cell: line => line.price },
        {
            id: 'off',
            header: names.off,
            align: 'right',
            cell: line => (line.discount == null ? '' : words.prices.percent(line.discount)),
        },
        {
            id: 'cost',
            header: `${names.cost} (${bill.currency})`,
            align: 'right',
            cell: line => (
                <span className={`${styles.cost} ${line.cost.startsWith('-') ? styles.negative : ''}`}>
                    {line.cost}
                </span>
            ),
        },
    ];
}
