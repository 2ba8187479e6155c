import { Loader, Skeleton } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { workloads, type Workload } from '../../../api/queries/workloads';
import { usePages } from '../../../api/usePages';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { VirtualTable } from '../../../ui/VirtualTable';
import type { WorkloadsSearch } from '../routes';
import { workloadColumns } from './columns';
import { Filters } from './Filters';
import styles from './Workloads.module.css';

const words = text.workloads;
const uidOf = (row: Workload) => row.metadata.uid;
const LIST = { page: workloads.page, idOf: uidOf };

/** All workloads that one may see, with why they wait; live, and of any number. */
export function WorkloadsScreen() {
    const { state, module, quota, owner, find } = useSearch({ from: '/app/workloads' });
    const workspace = useWorkspace();
    const session = useSession();
    const navigate = useNavigate({ from: '/workloads' });
    // The API cannot filter by owner: that is done here, over what is read.
    const fits = useCallback((row: Workload) => owner === undefined || row.status.owner === owner, [owner]);
    const list = usePages({ state, module, quota, workspace, name: find }, LIST, fits);
    const showsWorkspace =
        workspace === undefined && (session.administrator || session.workspaces.length > 1);
    const columns = useMemo(() => workloadColumns(showsWorkspace), [showsWorkspace]);
    const owners = useOwners(list.rows);

    const open = useCallback(
        (row: Workload) => void navigate({ to: '/workloads/$workload', params: { workload: uidOf(row) } }),
        [navigate],
    );
    const narrow = useCallback(
        (change: WorkloadsSearch) =>
            void navigate({ search: before => ({ ...before, ...change }), replace: true }),
        [navigate],
    );
    const filters = useMemo(
        () => ({ state, module, quota, owner, find }),
        [state, module, quota, owner, find],
    );
    const isNarrowed = workspace !== undefined || Object.values(filters).some(value => value !== undefined);
    const submit = (
        <DisabledReason reason={session.whyNot('workload:submit', workspace)}>
            <ButtonLink
                to="/workloads/new"
                search={{ module, quota }}
                leftSection={<Icon name="plus" size={16} />}
            >
                {words.submit}
            </ButtonLink>
        </DisabledReason>
    );
    return (
        <Page title={words.title} about={words.about} actions={submit}>
            <ProblemAlert problem={list.error && Problem.from(list.error)} onRetry={list.retry} />
            <Filters filters={filters} owners={owners} onFilters={narrow} />
            {list.isFirst && list.rows.length === 0 ? (
                !list.error && <Skeleton height={320} />
            ) : (
                <VirtualTable
                    label={words.title}
                    columns={columns}
                    rows={list.rows}
                    rowKey={uidOf}
                    onOpen={open}
                    onRange={list.onRange}
                    height="calc(100dvh - 15rem)"
                    empty={<Nothing hasMore={list.hasMore} isNarrowed={isNarrowed} />}
                />
            )}
            {list.rows.length > 0 && (
                <span className={styles.count} role="status" data-testid="count">
                    {words.count(list.rows.length, list.hasMore)}
                </span>
            )}
        </Page>
    );
}

/** Who has submitted what was read; the same list as long as they are the same. */
function useOwners(rows: readonly Workload[]): readonly string[] {
    const found = useMemo(() => [...new Set(rows.map(row => row.status.owner))].sort().join('\n'), [rows]);
    return useMemo(() => found.split('\n').filter(name => name !== ''), [found]);
}

function Nothing({ hasMore, isNarrowed }: { hasMore: boolean; isNarrowed: boolean }) {
    if (hasMore)
        return (
            <EmptyState title={words.searching}>
                <Loader size="sm" />
            </EmptyState>
        );
    if (isNarrowed) return <EmptyState title={words.empty.filtered}>{words.empty.filteredAbout}</EmptyState>;
    return (
        <EmptyState
            title={words.empty.title}
            action={<ButtonLink to="/workloads/new">{words.submit}</ButtonLink>}
        >
            {words.empty.about}
        </EmptyState>
    );
}
