import type { Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { PathLink, pathOf } from '../../../ui/PathLink';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { useNow } from '../../../ui/useNow';
import { length, times, whyLine } from '../model';
import { TaskStateBadge } from '../TaskStateBadge';
import styles from './Tasks.module.css';

const names = text.tasks.columns;

export function taskColumns(showsWorkspace: boolean): Column<Task>[] {
    const columns: Column<Task>[] = [
        {
            id: 'name',
            header: names.name,
            width: 'minmax(7rem, 1fr)',
            cell: row => (
                <strong>
                    <PathLink path={pathOf.task(row.id)} isPassed>
                        {row.name}
                    </PathLink>
                </strong>
            ),
        },
        {
            id: 'state',
            header: names.state,
            width: '7.7rem',
            cell: row => <TaskStateBadge state={row.state} />,
        },
        {
            id: 'why',
            header: names.why,
            width: 'minmax(14rem, 2.6fr)',
            cell: row => <span title={whyLine(row)}>{whyLine(row)}</span>,
        },
        {
            id: 'template',
            header: names.template,
            width: 'minmax(7rem, 0.8fr)',
            cell: row =>
                row.template != null && (
                    <>
                        {row.template}
                        <span className={styles.version}>@{row.templateVersion}</span>
                    </>
                ),
        },
        { id: 'took', header: names.took, width: '7.4rem', cell: row => <Took task={row} /> },
        {
            id: 'workspace',
            header: names.workspace,
            width: 'minmax(6.4rem, 0.6fr)',
            cell: row => row.workspace,
        },
        { id: 'owner', header: names.owner, width: '5rem', cell: row => row.owner },
        {
            id: 'created',
            header: names.created,
            width: '6.5rem',
            cell: row => <RelativeTime at={row.createdAt} />,
        },
    ];
    return columns.filter(column => showsWorkspace || column.id !== 'workspace');
}

function Took({ task }: { task: Task }) {
    const now = useNow(task.endedAt == null ? 1_000 : undefined);
    const { waitedMs, ranMs } = times(task, now);
    const said = [waitedMs, ranMs].filter(ms => ms !== undefined).map(length);
    const full = [
        waitedMs === undefined ? undefined : text.tasks.took.waited(length(waitedMs)),
        ranMs === undefined ? undefined : text.tasks.took.ran(length(ranMs)),
    ];
    return <span title={full.filter(one => one !== undefined).join(', ')}>{said.join(', ')}</span>;
}
