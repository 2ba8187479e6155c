import type { WorkloadState } from '../api/queries/workloads';
import { text } from '../texts';
import styles from './WorkloadStateBadge.module.css';

/** The state of a workload; what it means on hover. */
export function WorkloadStateBadge({ state }: { state: WorkloadState }) {
    return (
        <span className={styles.badge} data-state={state} title={text.workloads.statesAbout[state]}>
            {text.workloads.states[state]}
        </span>
    );
}
