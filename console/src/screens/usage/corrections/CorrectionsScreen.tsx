import { Button, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Problem } from '../../../api/problem';
import { metering, type Correction } from '../../../api/queries/metering';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { minute } from '../../../ui/time';
import { PeriodFields } from '../PeriodFields';
import { rangeOf, type PeriodSearch } from '../period';
import { filterOf, type FilterSearch } from '../search';
import styles from '../Usage.module.css';
import { UsageNav } from '../UsageNav';
import { WhoseFields } from '../WhoseFields';
import { CorrectDialog } from './CorrectDialog';

const words = text.bills.corrections;

/** What was corrected of what was metered, with the reasons. */
export function CorrectionsScreen() {
    const search = useSearch({ from: '/app/usage/corrections' });
    const navigate = useNavigate({ from: '/usage/corrections' });
    const workspace = useWorkspace();
    const session = useSession();
    const [isOpen, setOpen] = useState(false);
    const about = JSON.stringify(search);
    const filter = useMemo(() => {
        // Corrections are few: a month is what one looks at.
        const { from, to } = rangeOf({ ...search, period: search.period ?? 'month' }, Date.now());
        return { ...filterOf(search, workspace), from, to };
    }, [about, workspace]);
    const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
        metering.corrections(filter),
    );
    const rows = data?.pages.flatMap(page => page.items);
    const narrow = (change: PeriodSearch & FilterSearch) =>
        void navigate({ search: before => ({ ...before, ...change }), replace: true });
    return (
        <Page
            title={text.usage.title}
            about={words.about}
            actions={
                <DisabledReason reason={session.may('usage:correct') ? undefined : words.denied}>
                    <Button onClick={() => setOpen(true)}>{words.create}</Button>
                </DisabledReason>
            }
        >
            <UsageNav />
            <div className={styles.filters} role="search" aria-label={text.common.filters.label}>
                <PeriodFields
                    search={{ ...search, period: search.period ?? 'month' }}
                    onSearch={change =>
                        narrow({ ...change, ...('period' in change && { period: change.period ?? 'day' }) })
                    }
                />
                <WhoseFields search={search} onSearch={narrow} />
            </div>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {rows === undefined ? (
                !error && <Skeleton height={200} />
            ) : (
                <DataTable
                    label={text.usage.sections.corrections}
                    columns={COLUMNS}
                    rows={rows}
                    rowKey={row => row.id}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            {hasNextPage && (
                <div>
                    <Button
                        variant="default"
                        loading={isFetchingNextPage}
                        onClick={() => void fetchNextPage()}
                    >
                        {text.common.more}
                    </Button>
                </div>
            )}
            {isOpen && <CorrectDialog workspace={workspace} onClose={() => setOpen(false)} />}
        </Page>
    );
}

const names = words.columns;

const COLUMNS: Column<Correction>[] = [
    { id: 'id', header: names.id, cell: row => <strong>{row.id}</strong> },
    { id: 'at', header: names.at, width: '9rem', cell: row => minute(Date.parse(row.at)) },
    {
        id: 'who',
        header: names.who,
        cell: row => (
            <span>
                {row.workspace} <span className={styles.muted}>{row.user}</span>
            </span>
        ),
    },
    { id: 'quota', header: names.quota, width: '8rem', cell: row => row.quota },
    {
        id: 'what',
        header: names.what,
        cell: row => (
            <span>
                {row.resource}{' '}
                <span className={styles.muted}>{text.usage.classes[row.class] ?? row.class}</span>
            </span>
        ),
    },
    { id: 'hours', header: names.hours, align: 'right', cell: row => figure(row.hours) },
    {
        id: 'reason',
        header: names.reason,
        width: '22%',
        cell: row => (
            <span>
                {row.reason}{' '}
                {row.workloadId != null && <span className={styles.muted}>{words.of(row.workloadId)}</span>}
            </span>
        ),
    },
    {
        id: 'by',
        header: names.by,
        width: '9rem',
        cell: row => (
            <span>
                {row.by} <RelativeTime at={row.madeAt} />
            </span>
        ),
    },
];
