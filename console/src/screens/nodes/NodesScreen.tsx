import { Group, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../api/problem';
import { nodes, pools } from '../../api/queries/supply';
import { text } from '../../texts';
import { EmptyState } from '../../ui/EmptyState';
import { Icon } from '../../ui/icons';
import { Page } from '../../ui/Page';
import { pathOf } from '../../ui/PathLink';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { VirtualTable } from '../../ui/VirtualTable';
import { nodeColumns } from './columns';
import { PoolsTable, SupplyActions } from './PoolsTable';
import { findRows, nodeRow } from './model';
import { NODE_STATES, type NodesSearch } from './routes';

const words = text.nodes;

/** All nodes, live; what one looks for stands in the URL. */
export function NodesScreen() {
    const search = useSearch({ from: '/app/nodes' });
    const navigate = useNavigate({ from: '/nodes' });
    const { data, error, refetch } = useQuery(nodes.list());
    const supply = useQuery(pools.list());
    const all = useMemo(() => (data ?? []).map(nodeRow), [data]);
    const rows = useMemo(() => findRows(all, search), [all, search]);
    const names = useMemo(() => supply.data?.map(pool => pool.metadata.name) ?? [], [supply.data]);
    const failed = error ?? supply.error;
    const narrow = (part: Partial<NodesSearch>) =>
        void navigate({ search: before => ({ ...before, ...part }), replace: true });

    return (
        <Page
            title={words.title}
            about={words.about}
            actions={<SupplyActions pools={names} pool={search.pool} />}
        >
            <ProblemAlert
                problem={failed && Problem.from(failed)}
                onRetry={() => void Promise.all([refetch(), supply.refetch()])}
            />
            <PoolsTable pools={supply.data ?? []} />
            <Group gap="sm" align="center">
                <TextInput
                    aria-label={words.filter}
                    placeholder={words.filter}
                    leftSection={<Icon name="search" size={16} />}
                    w={280}
                    maw="100%"
                    value={search.find ?? ''}
                    onChange={event => narrow({ find: event.currentTarget.value || undefined })}
                />
                {names.length > 1 && (
                    <Select
                        aria-label={words.columns.pool}
                        placeholder={words.anyPool}
                        clearable
                        w={160}
                        data={names}
                        value={search.pool ?? null}
                        onChange={pool => narrow({ pool: pool ?? undefined })}
                    />
                )}
                <Select
                    aria-label={words.stateLabel}
                    placeholder={words.anyState}
                    clearable
                    w={170}
                    data={NODE_STATES.map(state => ({ value: state, label: words.state[state] }))}
                    value={search.state ?? null}
                    onChange={state => narrow({ state: NODE_STATES.find(one => one === state) })}
                />
                {data && (
                    <Text size="sm" c="dimmed" role="status">
                        {words.count(rows.length, all.length)}
                    </Text>
                )}
            </Group>
            {data === undefined ? (
                !failed && <Skeleton height={240} />
            ) : (
                <VirtualTable
                    label={words.title}
                    columns={nodeColumns}
                    rows={rows}
                    rowKey={row => row.node.metadata.name}
                    onOpen={row => void navigate({ to: pathOf.node(row.node.metadata.name) })}
                    sort={search.sort}
                    onSort={sort => narrow({ sort })}
                    empty={
                        <EmptyState title={words.empty.title}>
                            {all.length === 0 ? words.empty.about : words.empty.none}
                        </EmptyState>
                    }
                />
            )}
        </Page>
    );
}
