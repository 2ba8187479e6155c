import { Button, Pill, Skeleton, Tooltip } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { exportAddress, metering } from '../../../api/queries/metering';
import { usePages } from '../../../api/usePages';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { VirtualTable } from '../../../ui/VirtualTable';
import { PeriodFields } from '../PeriodFields';
import { rangeOf } from '../period';
import { filterOf, type RecordsSearch } from '../search';
import styles from '../Usage.module.css';
import { UsageNav } from '../UsageNav';
import { WhoseFields } from '../WhoseFields';
import { recordColumns, recordKey } from './columns';

const words = text.usage;
const LIST = { page: metering.records, idOf: recordKey };

/** Every single thing that was held, with who, of whom, how much and when. */
export function RecordsScreen() {
    const search = useSearch({ from: '/app/usage/records' });
    const navigate = useNavigate({ from: '/usage/records' });
    const workspace = useWorkspace();
    const about = JSON.stringify(search);
    const filter = useMemo(() => {
        const { from, to } = rangeOf(search, Date.now());
        return { ...filterOf(search, workspace), from, to, workloadId: search.workload };
    }, [about, workspace]);
    const list = usePages(filter, LIST);
    const narrow = (change: RecordsSearch) =>
        void navigate({ search: before => ({ ...before, ...change }), replace: true });
    return (
        <Page title={words.title} about={words.records.about}>
            <UsageNav />
            <div className={styles.filters} role="search" aria-label={text.common.filters.label}>
                <PeriodFields search={search} onSearch={narrow} />
                <WhoseFields search={search} onSearch={narrow} />
                {search.workload !== undefined && (
                    <Pill size="lg" withRemoveButton onRemove={() => narrow({ workload: undefined })}>
                        {words.records.ofWorkload(search.workload)}
                    </Pill>
                )}
                <Tooltip label={words.exportHint}>
                    <Button
                        size="sm"
                        component="a"
                        variant="default"
                        className={styles.export}
                        href={exportAddress('usage/records', filter)}
                        download="records.csv"
                    >
                        {words.exportRecords}
                    </Button>
                </Tooltip>
            </div>
            <ProblemAlert problem={list.error && Problem.from(list.error)} onRetry={list.retry} />
            {list.isFirst && list.rows.length === 0 ? (
                !list.error && <Skeleton height={320} />
            ) : (
                <VirtualTable
                    label={words.sections.records}
                    columns={recordColumns}
                    rows={list.rows}
                    rowKey={recordKey}
                    onRange={list.onRange}
                    height="calc(100dvh - 19rem)"
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            {list.rows.length > 0 && (
                <span className={styles.small} role="status">
                    {words.records.count(list.rows.length, list.hasMore)}
                </span>
            )}
        </Page>
    );
}
