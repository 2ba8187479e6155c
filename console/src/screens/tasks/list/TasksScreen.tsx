import { Loader, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { tasks, templates, type Task } from '../../../api/queries/tasks';
import { usePages } from '../../../api/usePages';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { FilterBar, FindInput, optionsOf } from '../../../ui/FilterBar';
import { Icon } from '../../../ui/icons';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { VirtualTable } from '../../../ui/VirtualTable';
import type { TasksSearch } from '../routes';
import { TasksNav } from '../TasksNav';
import { taskColumns } from './columns';
import styles from './Tasks.module.css';

const words = text.tasks;
const idOf = (row: Task) => row.id;
const LIST = { page: tasks.page, idOf };
const NOTHING: TasksSearch = { state: undefined, template: undefined, find: undefined };

/** All tasks that one may see, the latest first. */
export function TasksScreen() {
    const { state, template, find } = useSearch({ from: '/app/tasks' });
    const workspace = useWorkspace();
    const session = useSession();
    const navigate = useNavigate({ from: '/tasks' });
    const { data: known } = useQuery(templates.list(workspace));
    const list = usePages({ state, template, workspace, name: find }, LIST);
    const showsWorkspace =
        workspace === undefined && (session.administrator || session.workspaces.length > 1);
    const columns = useMemo(() => taskColumns(showsWorkspace), [showsWorkspace]);
    const open = useCallback(
        (row: Task) => void navigate({ to: '/tasks/$task', params: { task: row.id } }),
        [navigate],
    );
    const narrow = (change: TasksSearch) =>
        void navigate({ search: before => ({ ...before, ...change }), replace: true });
    const isNarrowed = [state, template, find].some(value => value !== undefined);
    // A template that is gone may have left tasks.
    const names = new Set([...(known ?? []).map(one => one.metadata.name), ...(template ? [template] : [])]);
    return (
        <Page
            title={words.title}
            about={words.about}
            actions={
                <DisabledReason reason={session.whyNot('task:submit', workspace)}>
                    <ButtonLink
                        to="/tasks/new"
                        search={({ ws }) => ({ ws, template })}
                        leftSection={<Icon name="plus" size={16} />}
                    >
                        {words.run}
                    </ButtonLink>
                </DisabledReason>
            }
        >
            <TasksNav />
            <ProblemAlert problem={list.error && Problem.from(list.error)} onRetry={list.retry} />
            <FilterBar onClear={isNarrowed ? () => narrow(NOTHING) : undefined}>
                <FindInput
                    label={words.filters.name}
                    value={find}
                    onValue={value => narrow({ find: value })}
                />
                <Select
                    aria-label={words.filters.state}
                    placeholder={words.filters.anyState}
                    clearable
                    data={optionsOf(words.states)}
                    value={state ?? null}
                    onChange={value => narrow({ state: (value ?? undefined) as TasksSearch['state'] })}
                />
                <Select
                    aria-label={words.filters.template}
                    placeholder={words.filters.anyTemplate}
                    clearable
                    searchable
                    data={[...names].sort()}
                    value={template ?? null}
                    onChange={value => narrow({ template: value ?? undefined })}
                />
            </FilterBar>
            {list.isFirst && list.rows.length === 0 ? (
                !list.error && <Skeleton height={320} />
            ) : (
                <VirtualTable
                    label={words.title}
                    columns={columns}
                    rows={list.rows}
                    rowKey={idOf}
                    onOpen={open}
                    onRange={list.onRange}
                    height="calc(100dvh - 17rem)"
                    empty={
                        <Nothing hasMore={list.hasMore} isNarrowed={isNarrowed || workspace !== undefined} />
                    }
                />
            )}
            {list.rows.length > 0 && (
                <span className={styles.count} role="status">
                    {words.count(list.rows.length, list.hasMore)}
                </span>
            )}
        </Page>
    );
}

function Nothing({ hasMore, isNarrowed }: { hasMore: boolean; isNarrowed: boolean }) {
    if (hasMore)
        return (
            <EmptyState title={text.workloads.searching}>
                <Loader size="sm" />
            </EmptyState>
        );
    if (isNarrowed) return <EmptyState title={words.empty.filtered}>{words.empty.filteredAbout}</EmptyState>;
    return (
        <EmptyState title={words.empty.title} action={<ButtonLink to="/tasks/new">{words.run}</ButtonLink>}>
            {words.empty.about}
        </EmptyState>
    );
}
