import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Schema } from '../../api/client';
import { quotas, type Quota } from '../../api/queries/quotas';
import { workloads, type Workload } from '../../api/queries/workloads';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { EmptyState } from '../../ui/EmptyState';
import { Section } from '../../ui/Page';
import { ReasonLine } from '../../ui/Reason';
import { RelativeTime } from '../../ui/RelativeTime';
import type { Column } from '../../ui/table';
import { VirtualTable } from '../../ui/VirtualTable';

const words = text.quotas.workloads;
type Entry = Schema<'QueueEntry'>;

const QUEUE: readonly Column<Entry>[] = [
    {
        id: 'position',
        header: words.position,
        width: '3.5rem',
        align: 'right',
        cell: one => one.position ?? '',
    },
    { id: 'name', header: words.name, width: 'minmax(9rem, 14rem)', cell: one => one.name },
    { id: 'module', header: words.module, width: '6.5rem', cell: one => one.module },
    { id: 'priority', header: words.priority, width: '5rem', align: 'right', cell: one => one.priority },
    { id: 'gpu', header: words.gpus, width: '5rem', align: 'right', cell: one => figure(one.gpu) },
    { id: 'since', header: words.since, width: '8rem', cell: one => <RelativeTime at={one.enqueuedAt} /> },
    {
        id: 'why',
        header: words.why,
        width: 'minmax(16rem, 1fr)',
        cell: one => <ReasonLine reasons={one.reasons} />,
    },
];

const RUNNING: readonly Column<Workload>[] = [
    { id: 'name', header: words.name, width: 'minmax(9rem, 14rem)', cell: one => one.metadata.name },
    { id: 'state', header: words.state, width: '6.5rem', cell: one => one.status.state },
    { id: 'module', header: words.module, width: '6.5rem', cell: one => one.status.module },
    {
        id: 'priority',
        header: words.priority,
        width: '5rem',
        align: 'right',
        cell: one => one.status.priority,
    },
    { id: 'gpu', header: words.gpus, width: '5rem', align: 'right', cell: one => figure(one.status.gpu) },
    { id: 'class', header: words.class, width: '5rem', cell: one => one.status.class ?? '' },
    { id: 'owner', header: words.owner, width: '7rem', cell: one => one.status.owner },
    {
        id: 'since',
        header: words.since,
        width: 'minmax(8rem, 1fr)',
        cell: one => (one.status.startedAt == null ? '' : <RelativeTime at={one.status.startedAt} />),
    },
];

const LIVE = new Set(['held', 'running', 'leaving']);

/** Who waits, in the order of the queue, and who runs. */
export function WorkloadsTab({ quota }: { quota: Quota }) {
    const { name } = quota.metadata;
    const queue = useQuery(quotas.queue(name));
    const list = useQuery(workloads.list({ quota: name }));
    const running = useMemo(() => (list.data ?? []).filter(one => LIVE.has(one.status.state)), [list.data]);
    return (
        <Stack>
            <Section title={words.queued(queue.data?.length ?? 0)}>
                <VirtualTable
                    label={words.queue}
                    columns={QUEUE}
                    rows={queue.data ?? []}
                    rowKey={one => one.uid ?? one.name}
                    height="40vh"
                    empty={<EmptyState title={words.noneQueued}>{words.noneQueuedAbout}</EmptyState>}
                />
            </Section>
            <Section title={words.running(running.length)}>
                <VirtualTable
                    label={words.runningLabel}
                    columns={RUNNING}
                    rows={running}
                    rowKey={one => one.metadata.uid}
                    height="40vh"
                    empty={<EmptyState title={words.noneRunning}>{words.noneRunningAbout}</EmptyState>}
                />
            </Section>
        </Stack>
    );
}
