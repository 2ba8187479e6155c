import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { workloads, type Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { Section } from '../../../ui/Page';
import { PathLink, pathOf } from '../../../ui/PathLink';
import type { Column } from '../../../ui/table';

const words = text.center.rules.held;

/** Work that waits because of a limit, with the figures: the effect of the rules, live. */
export function HeldBack({ room, quota }: { room: string; quota: string }) {
    const { data } = useQuery(workloads.list({ workspace: room, quota, state: 'queued' }));
    const held = data?.filter(one => one.status.reasons?.some(reason => reason.code === 'cap')) ?? [];
    if (held.length === 0) return null;
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <DataTable label={words.title} columns={COLUMNS} rows={held} rowKey={one => one.metadata.uid} />
        </Section>
    );
}

const COLUMNS: Column<Workload>[] = [
    {
        id: 'workload',
        header: words.workload,
        cell: one => <PathLink path={pathOf.workload(one.metadata.uid)}>{one.metadata.name}</PathLink>,
    },
    { id: 'owner', header: words.owner, cell: one => one.status.owner },
    { id: 'priority', header: words.priority, align: 'right', cell: one => figure(one.status.priority) },
    { id: 'gpu', header: words.gpu, align: 'right', cell: one => figure(one.status.gpu) },
    { id: 'why', header: words.why, width: '50%', cell: one => one.status.reasons?.[0]?.text },
];
