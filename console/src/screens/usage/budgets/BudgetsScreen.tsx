import { Button, Menu, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Problem } from '../../../api/problem';
import { budgetChanges, budgets, type Budget } from '../../../api/queries/budgets';
import { prices } from '../../../api/queries/metering';
import { useRooms } from '../../../session/rooms';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { AnchorLink, ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import { RowMenu } from '../../../ui/RowMenu';
import type { Column } from '../../../ui/table';
import { UsageNav } from '../UsageNav';
import { BudgetBar } from './BudgetBar';
import { BudgetDialog } from './BudgetDialog';
import styles from './Budgets.module.css';
import { SpentBadge } from './BudgetStrip';

const words = text.budgets;

/** What workspaces mean to spend, and how far they have come. */
export function BudgetsScreen() {
    const session = useSession();
    const workspace = useWorkspace();
    const rooms = useRooms('budget:update');
    const books = useQuery(prices.list());
    const { data, error, refetch } = useQuery(budgets.list());
    const [changed, setChanged] = useState<Budget | 'new'>();
    const [removed, setRemoved] = useState<string>();
    const removal = useMemo<PlannedChange | undefined>(
        () =>
            removed === undefined
                ? undefined
                : {
                      title: words.removeTitle(removed),
                      confirm: words.remove,
                      about: words.removeEffect(removed),
                      quiet: words.quiet,
                      moves: ['budgets'],
                      send: asked => budgetChanges.remove(removed, asked),
                  },
        [removed],
    );
    const maySet = session.may('budget:update');
    const without = rooms?.filter(room => !data?.some(one => one.workspace === room)) ?? [];
    const hasBook = books.data === undefined || books.data.length > 0;
    const why = !maySet ? words.denied : hasBook ? undefined : words.none.noPrices;
    // The chosen workspace is meant first.
    const first = without.toSorted((a, b) => Number(b === workspace) - Number(a === workspace));
    return (
        <Page
            title={text.usage.title}
            about={words.about}
            actions={
                <DisabledReason reason={why}>
                    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setChanged('new')}>
                        {words.create}
                    </Button>
                </DisabledReason>
            }
        >
            <UsageNav />
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={200} />
            ) : (
                <DataTable
                    label={text.usage.sections.budgets}
                    columns={columns(maySet, setChanged, setRemoved)}
                    rows={data.filter(one => workspace === undefined || one.workspace === workspace)}
                    rowKey={budget => budget.workspace}
                    empty={
                        <EmptyState
                            title={words.none.title}
                            action={
                                !hasBook && (
                                    <ButtonLink to="/usage/prices">{text.usage.sections.prices}</ButtonLink>
                                )
                            }
                        >
                            {words.none.about} {!hasBook && words.none.noPrices}
                        </EmptyState>
                    }
                />
            )}
            {changed !== undefined && (
                <BudgetDialog
                    before={changed === 'new' ? undefined : changed}
                    rooms={first}
                    onClose={() => setChanged(undefined)}
                />
            )}
            <PreviewDialog change={removal} onClose={() => setRemoved(undefined)} />
        </Page>
    );
}

function columns(
    maySet: boolean,
    onChange: (budget: Budget) => void,
    onRemove: (workspace: string) => void,
): Column<Budget>[] {
    const names = words.columns;
    const all: Column<Budget>[] = [
        {
            id: 'workspace',
            header: names.workspace,
            cell: ({ workspace, setBy }) => (
                <span>
                    <AnchorLink fw={600} to="/usage/bills" search={{ ws: workspace }}>
                        {workspace}
                    </AnchorLink>
                    <Text size="xs" c="dimmed">
                        {words.setBy(setBy)}
                    </Text>
                </span>
            ),
        },
        {
            id: 'amount',
            header: names.amount,
            align: 'right',
            cell: ({ amount, currency }) => words.amount(amount, currency),
        },
        { id: 'spent', header: names.spent, width: '36%', cell: budget => <BudgetBar budget={budget} /> },
        { id: 'told', header: names.told, cell: budget => <Told budget={budget} /> },
        {
            id: 'stop',
            header: names.stop,
            cell: ({ stop, exhausted }) => (
                <span>
                    {words.stops[stop ? 'true' : 'false']} {exhausted && <SpentBadge />}
                </span>
            ),
        },
    ];
    if (!maySet) return all;
    const menu: Column<Budget> = {
        id: 'actions',
        header: text.common.actions,
        hideHeader: true,
        width: '3rem',
        cell: budget => (
            <RowMenu label={words.actions(budget.workspace)}>
                <Menu.Item onClick={() => onChange(budget)}>{words.change}</Menu.Item>
                <Menu.Item color="coral" onClick={() => onRemove(budget.workspace)}>
                    {words.remove}
                </Menu.Item>
            </RowMenu>
        ),
    };
    return [...all, menu];
}

/** What people were told of this month, and when. */
function Told({ budget }: { budget: Budget }) {
    if (budget.alerts.length === 0) return <span>{words.notTold}</span>;
    return (
        <dl className={styles.told}>
            {budget.alerts.map(({ percent, at }) => (
                <div key={percent} style={{ display: 'contents' }}>
                    <dt>{words.percent(percent)}</dt>
                    <dd>
                        <RelativeTime at={at} />
                    </dd>
                </div>
            ))}
        </dl>
    );
}
