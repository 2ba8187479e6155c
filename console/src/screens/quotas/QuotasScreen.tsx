import { Badge, Button, Group, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Problem } from '../../api/problem';
import { quotas } from '../../api/queries/quotas';
import { useSession } from '../../session/session';
import { useWorkspace } from '../../session/workspace';
import { text } from '../../texts';
import { OfAmount } from '../../ui/Amount';
import { bytes, figure } from '../../ui/amounts';
import { EmptyState } from '../../ui/EmptyState';
import { Icon } from '../../ui/icons';
import { AnchorLink } from '../../ui/links';
import { Page } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import type { Column } from '../../ui/table';
import { TideBar, TideLegend, tideScale } from '../../ui/TideBar';
import { every, prune } from '../../ui/tree';
import { TreeTable } from '../../ui/TreeTable';
import { quotaRows, type QuotaRow } from './model';
import { NewQuotaDialog } from './NewQuotaDialog';
import { QuotaActions } from './QuotaActions';

const words = text.quotas;

/** All quotas that one may see, as a tree, live. */
export function QuotasScreen() {
    const { find, closed } = useSearch({ from: '/app/quotas' });
    const workspace = useWorkspace();
    const navigate = useNavigate({ from: '/quotas' });
    const session = useSession();
    const { data, error, refetch } = useQuery(quotas.tree());

    const all = useMemo(() => quotaRows(data?.roots ?? []), [data]);
    const roots = useMemo(() => {
        const isFound = (row: QuotaRow) =>
            row.quota.metadata.name.toLowerCase().includes((find ?? '').toLowerCase());
        const isOfWorkspace = (row: QuotaRow) =>
            workspace === undefined || row.quota.status.workspaces?.includes(workspace) === true;
        return prune(all, row => isFound(row) && isOfWorkspace(row));
    }, [all, find, workspace]);
    const columns = useMemo(() => quotaColumns(tideScale(every(all).map(node => node.row.tide))), [all]);

    const [isCreating, setCreating] = useState(false);

    return (
        <Page
            title={words.title}
            about={words.about}
            actions={
                session.may('quota:update') && (
                    <Group gap="xs">
                        <Button
                            leftSection={<Icon name="plus" size={14} />}
                            onClick={() => setCreating(true)}
                        >
                            {words.create.root}
                        </Button>
                    </Group>
                )
            }
        >
            {isCreating && <NewQuotaDialog onClose={() => setCreating(false)} />}
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            <TextInput
                aria-label={words.filter}
                placeholder={words.filter}
                leftSection={<Icon name="search" size={16} />}
                maw={280}
                value={find ?? ''}
                onChange={event => {
                    const value = event.currentTarget.value;
                    void navigate({
                        search: before => ({ ...before, find: value === '' ? undefined : value }),
                        replace: true,
                    });
                }}
            />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <TreeTable
                    label={words.title}
                    columns={columns}
                    roots={roots}
                    closed={new Set(closed)}
                    onClosed={next =>
                        void navigate({
                            search: before => ({
                                ...before,
                                closed: next.size === 0 ? undefined : [...next],
                            }),
                            replace: true,
                        })
                    }
                    onOpen={row =>
                        void navigate({ to: '/quotas/$name', params: { name: row.quota.metadata.name } })
                    }
                    empty={
                        <EmptyState title={words.empty.title}>
                            {session.administrator ? words.empty.administrator : words.empty.member}
                        </EmptyState>
                    }
                />
            )}
            <TideLegend parts={['guarantee', 'own', 'lent', 'borrowed']} />
        </Page>
    );
}

function quotaColumns(scale: number): Column<QuotaRow>[] {
    const names = words.columns;
    return [
        { id: 'name', header: names.name, cell: row => <QuotaLink name={row.quota.metadata.name} /> },
        { id: 'pool', header: names.pool, cell: row => row.quota.status.pool },
        {
            id: 'workspaces',
            header: names.workspaces,
            cell: row => row.quota.status.workspaces?.join(', ') ?? '',
        },
        { id: 'state', header: names.state, cell: row => <State row={row} /> },
        {
            id: 'gpu',
            header: names.gpu,
            align: 'right',
            cell: row => <OfAmount used={figure(row.drawn)} of={figure(row.tide.guarantee)} />,
        },
        {
            id: 'tide',
            header: names.tide,
            width: '26%',
            cell: row => <TideBar name={row.quota.metadata.name} tide={row.tide} scale={scale} />,
        },
        { id: 'cpu', header: names.cpu, align: 'right', cell: row => <Cpu row={row} /> },
        { id: 'memory', header: names.memory, align: 'right', cell: row => <Memory row={row} /> },
        { id: 'running', header: names.running, align: 'right', cell: row => figure(row.running) },
        { id: 'queue', header: names.queue, align: 'right', cell: row => figure(row.queued) },
        {
            id: 'actions',
            header: names.actions,
            hideHeader: true,
            align: 'right',
            cell: row => <QuotaActions quota={row.quota} />,
        },
    ];
}

function QuotaLink({ name }: { name: string }) {
    return (
        <AnchorLink to="/quotas/$name" params={{ name }} fw={600}>
            {name}
        </AnchorLink>
    );
}

function State({ row }: { row: QuotaRow }) {
    if (row.overdrawn) return <Badge color="coral">{words.state.overdrawn}</Badge>;
    const { state } = row.quota.status;
    return <Badge color={state === 'ready' ? 'tide' : 'sand'}>{words.state[state]}</Badge>;
}

function Cpu({ row }: { row: QuotaRow }) {
    const { share, drawn } = row.quota.status;
    return share.cpu == null ? '' : <OfAmount used={figure(drawn.total.cpu ?? 0)} of={figure(share.cpu)} />;
}

function Memory({ row }: { row: QuotaRow }) {
    const { share, drawn } = row.quota.status;
    return share.memory == null ? (
        ''
    ) : (
        <OfAmount used={bytes(drawn.total.memory ?? 0)} of={bytes(share.memory)} />
    );
}
