import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { OfAmount } from '../../../ui/Amount';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { WorkloadStateBadge } from '../../../ui/WorkloadStateBadge';
import { whyAll, whyLine } from '../why';
import { RowLink } from './RowLink';
import styles from './Workloads.module.css';

const names = text.workloads.columns;

export function workloadColumns(showsWorkspace: boolean): Column<Workload>[] {
    return [
        {
            id: 'name',
            header: names.name,
            width: 'minmax(7.2rem, 1fr)',
            cell: row => <RowLink workload={row} />,
        },
        {
            id: 'state',
            header: names.state,
            width: '6.7rem',
            cell: row => <WorkloadStateBadge state={row.status.state} />,
        },
        {
            id: 'why',
            header: names.why,
            width: 'minmax(14rem, 2.4fr)',
            cell: row => <span title={whyAll(row)}>{whyLine(row)}</span>,
        },
        {
            id: 'quota',
            header: names.quota,
            width: showsWorkspace ? 'minmax(8.8rem, 1fr)' : 'minmax(6rem, 0.8fr)',
            cell: row => (
                <>
                    {row.status.quota}
                    {showsWorkspace && <small className={styles.room}>{row.status.workspace}</small>}
                </>
            ),
        },
        {
            id: 'module',
            header: names.module,
            width: '5.2rem',
            cell: row => text.workloads.modules[row.status.module],
        },
        {
            id: 'priority',
            header: names.priority,
            width: '3.1rem',
            align: 'right',
            cell: row => row.status.priority,
        },
        {
            id: 'replicas',
            header: names.replicas,
            width: '5.1rem',
            align: 'right',
            cell: ({ status: { replicas } }) => (
                <OfAmount used={figure(replicas.running)} of={figure(replicas.wanted)} />
            ),
        },
        {
            id: 'gpu',
            header: names.gpu,
            width: '3.6rem',
            align: 'right',
            cell: row => figure(row.status.gpu),
        },
        { id: 'owner', header: names.owner, width: '4.6rem', cell: row => row.status.owner },
        {
            id: 'age',
            header: names.age,
            width: '6.1rem',
            cell: row => <RelativeTime at={row.metadata.createdAt} />,
        },
    ];
}
