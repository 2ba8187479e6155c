import { ActionIcon, Button, Group, Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Problem } from '../../api/problem';
import { audit, type AuditEntry } from '../../api/queries/audit';
import { text } from '../../texts';
import { DataTable } from '../../ui/DataTable';
import { EmptyState } from '../../ui/EmptyState';
import { Icon } from '../../ui/icons';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { RelativeTime } from '../../ui/RelativeTime';
import type { Column } from '../../ui/table';
import { AuditDetails } from './AuditDetails';
import { AuditFilters } from './AuditFilters';
import { auditFilter, summary, type AuditSearch } from './model';

const words = text.audit;

interface Props {
    /** The room whose audit it is; without one it is the platform's. */
    room?: string;
    /** Narrows the platform's audit to what concerns a workspace. */
    workspace?: string;
    search: AuditSearch;
    onSearch(search: AuditSearch): void;
}

/** The audit in pages, with what each change did. */
export function AuditView({ room, workspace, search, onSearch }: Props) {
    const filter = auditFilter(search, workspace);
    const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
        audit.pages(room, filter),
    );
    const entries = data?.pages.flatMap(page => page.items) ?? [];
    const archived = data?.pages.at(-1)?.archivedBelow;
    const isFiltered = Object.values(filter).some(value => value !== undefined);
    const toggle = (entry: AuditEntry) =>
        onSearch({ ...search, entry: search.entry === entry.number ? undefined : entry.number });

    return (
        <>
            <AuditFilters room={room} filter={filter} search={search} onSearch={onSearch} />
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <DataTable
                    label={words.title}
                    columns={columns(search.entry, toggle)}
                    rows={entries}
                    rowKey={entry => String(entry.number)}
                    below={entry => entry.number === search.entry && <AuditDetails entry={entry} />}
                    empty={
                        <EmptyState title={words.empty.title}>
                            {isFiltered ? words.empty.filtered : words.empty.unfiltered}
                        </EmptyState>
                    }
                />
            )}
            <Group>
                {hasNextPage && (
                    <Button
                        variant="default"
                        loading={isFetchingNextPage}
                        onClick={() => void fetchNextPage()}
                    >
                        {text.common.more}
                    </Button>
                )}
                {archived != null && (
                    <Text size="sm" c="dimmed">
                        {words.archived(archived)}
                    </Text>
                )}
            </Group>
        </>
    );
}

function columns(open: number | undefined, toggle: (entry: AuditEntry) => void): Column<AuditEntry>[] {
    const names = words.columns;
    return [
        {
            id: 'more',
            header: names.more,
            hideHeader: true,
            width: '2.5rem',
            cell: entry => (
                <ActionIcon
                    variant="subtle"
                    size="sm"
                    aria-label={words.open(entry.number)}
                    aria-expanded={entry.number === open}
                    onClick={() => toggle(entry)}
                >
                    <Icon name={entry.number === open ? 'collapse' : 'chevron'} size={16} />
                </ActionIcon>
            ),
        },
        { id: 'at', header: names.at, width: '9rem', cell: entry => <RelativeTime at={entry.at} /> },
        { id: 'by', header: names.by, width: '9rem', cell: entry => <strong>{entry.by}</strong> },
        {
            id: 'operation',
            header: names.operation,
            width: '12rem',
            cell: entry => <code>{entry.operation}</code>,
        },
        { id: 'what', header: names.what, cell: summary },
        { id: 'from', header: names.from, width: '9rem', cell: entry => entry.from ?? '' },
    ];
}
