import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Quota } from '../../api/queries/quotas';
import { workloads } from '../../api/queries/workloads';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { EmptyState } from '../../ui/EmptyState';
import type { Column } from '../../ui/table';
import { VirtualTable } from '../../ui/VirtualTable';
import { nodesOf, type NodeUse } from './draws';

const words = text.quotas.nodes;

const COLUMNS: readonly Column<NodeUse>[] = [
    { id: 'node', header: words.node, width: 'minmax(8rem, 12rem)', cell: use => use.node },
    { id: 'gpus', header: words.gpus, width: '7rem', align: 'right', cell: use => figure(use.gpus) },
    {
        id: 'workloads',
        header: words.workloads,
        width: 'minmax(14rem, 1fr)',
        cell: use => use.workloads.join(', '),
    },
];

/** Where the quota's work runs. A quota is an amount, not machines: this changes as work comes and goes. */
export function NodesTab({ quota }: { quota: Quota }) {
    const { data } = useQuery(workloads.list({ quota: quota.metadata.name }));
    const rows = useMemo(() => nodesOf(data ?? []), [data]);
    return (
        <VirtualTable
            label={text.quotas.tabs.nodes}
            columns={COLUMNS}
            rows={rows}
            rowKey={use => use.node}
            empty={<EmptyState title={words.none}>{words.about}</EmptyState>}
        />
    );
}
