import { text } from '../../texts';
import { OfAmount } from '../../ui/Amount';
import { bytes, figure } from '../../ui/amounts';
import { PathLink, pathOf } from '../../ui/PathLink';
import type { Column } from '../../ui/table';
import { DeviceStrip } from './DeviceStrip';
import type { NodeRow } from './model';
import { StateBadge } from './StateBadge';

const names = text.nodes.columns;
const natural = new Intl.Collator('en', { numeric: true });
/** So many of those that run there are named. */
const NAMED = 2;

export const nodeColumns: readonly Column<NodeRow>[] = [
    {
        id: 'name',
        header: names.name,
        width: 'minmax(7rem, 1fr)',
        cell: ({ node }) => (
            <PathLink path={pathOf.node(node.metadata.name)} isPassed>
                {node.metadata.name}
            </PathLink>
        ),
        compare: (a, b) => natural.compare(a.node.metadata.name, b.node.metadata.name),
    },
    {
        id: 'state',
        header: names.state,
        width: '8rem',
        cell: ({ node }) => <StateBadge status={node.status} />,
        compare: (a, b) => a.node.status.state.localeCompare(b.node.status.state),
    },
    {
        id: 'devices',
        header: names.devices,
        width: 'minmax(10.5rem, 1.2fr)',
        cell: row => <DeviceStrip row={row} />,
    },
    {
        id: 'used',
        header: names.used,
        width: '4.75rem',
        align: 'right',
        cell: row => <OfAmount used={figure(row.used)} of={figure(row.node.spec.gpus)} />,
        compare: (a, b) => a.used - b.used,
    },
    {
        id: 'work',
        header: names.work,
        width: 'minmax(8rem, 1.6fr)',
        cell: row => <Works names={row.works} />,
    },
    {
        id: 'cpu',
        header: names.cpu,
        width: '5.75rem',
        align: 'right',
        cell: row => <OfAmount used={figure(row.cpuUsed)} of={figure(row.node.spec.cpu ?? 0)} />,
        compare: (a, b) => a.cpuUsed - b.cpuUsed,
    },
    {
        id: 'memory',
        header: names.memory,
        width: '8.25rem',
        align: 'right',
        cell: row => <OfAmount used={bytes(row.memoryUsed)} of={bytes(row.memory)} />,
        compare: (a, b) => a.memoryUsed - b.memoryUsed,
    },
    {
        id: 'model',
        header: names.model,
        width: 'minmax(4.5rem, 0.7fr)',
        cell: ({ node }) => node.spec.model ?? '',
        compare: (a, b) => (a.node.spec.model ?? '').localeCompare(b.node.spec.model ?? ''),
    },
    {
        id: 'pool',
        header: names.pool,
        width: 'minmax(4.5rem, 0.7fr)',
        cell: ({ node }) => node.spec.pool,
        compare: (a, b) => a.node.spec.pool.localeCompare(b.node.spec.pool),
    },
];

function Works({ names: all }: { names: readonly string[] }) {
    const shown = all.slice(0, NAMED).join(', ');
    const more = all.length > NAMED ? ` ${text.nodes.more(all.length - NAMED)}` : '';
    return <span title={all.join('\n')}>{shown + more}</span>;
}
