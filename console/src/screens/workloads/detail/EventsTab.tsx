import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { workloads, type Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { VirtualTable } from '../../../ui/VirtualTable';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import type { Told } from './timeline';

const words = text.workloads.detail.events;

/** Everything that happened to it, the latest first. */
export function EventsTab({ workload }: { workload: Workload }) {
    const { data, error, refetch } = useQuery(workloads.events(workload.metadata.uid));
    const rows = useMemo(() => (data ?? []).toReversed() as Told[], [data]);
    return (
        <>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <VirtualTable
                    label={text.workloads.detail.tabs.events}
                    columns={COLUMNS}
                    rows={rows}
                    rowKey={row => String(row.number)}
                />
            )}
        </>
    );
}

const COLUMNS: Column<Told>[] = [
    { id: 'at', header: words.at, width: '8rem', cell: row => <RelativeTime at={row.at} /> },
    {
        id: 'event',
        header: words.event,
        width: '10rem',
        cell: row => <strong>{words.words[row.event] ?? row.event}</strong>,
    },
    { id: 'detail', header: words.detail, width: 'minmax(20rem, 1fr)', cell: row => <Details event={row} /> },
];

function Details({ event }: { event: Told }) {
    const isLoss = event.event === 'shrunk' || event.event === 'lost';
    const draws = Object.entries(event.draws ?? {}).map(
        ([account, amount]) =>
            `${account}: ${typeof amount === 'object' ? JSON.stringify(amount) : String(amount)}`,
    );
    const parts = [
        event.queue === undefined ? undefined : words.in(event.queue),
        event.replicas === undefined
            ? undefined
            : isLoss
              ? words.left(event.replicas)
              : words.replicas(event.replicas),
        event.node ?? undefined,
        draws.length > 0 ? draws.join(', ') : undefined,
        event.class,
        event.rule,
        event.why,
        event.reasons?.[0],
    ].filter(part => part !== undefined);
    const all = event.reasons && event.reasons.length > 1 ? event.reasons.join('\n') : undefined;
    return (
        <span title={all}>
            {event.by !== undefined && (
                <>
                    {words.by('')}
                    <WorkloadLink name={event.by} />
                    {parts.length > 0 && ' · '}
                </>
            )}
            {parts.join(' · ')}
        </span>
    );
}
