import type { TaskState } from '../../api/queries/tasks';
import { text } from '../../texts';
import styles from '../../ui/WorkloadStateBadge.module.css';

/** The state of a task looks as that of a workload that has come as far. */
const LOOKS: Record<TaskState, string> = {
    waiting: 'queued',
    running: 'running',
    succeeded: 'finished',
    failed: 'failed',
    cancelled: 'stopped',
};

export function TaskStateBadge({ state }: { state: TaskState }) {
    return (
        <span className={styles.badge} data-state={LOOKS[state]} title={text.tasks.statesAbout[state]}>
            {text.tasks.states[state]}
        </span>
    );
}
