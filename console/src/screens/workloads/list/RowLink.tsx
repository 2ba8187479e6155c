import type { MouseEvent } from 'react';
import type { Workload } from '../../../api/queries/workloads';
import { pathOf } from '../../../ui/PathLink';
import styles from './Workloads.module.css';

/** The name of a row. The row is what is opened; this is for whoever wants it in another window, and costs nothing. */
export function RowLink({ workload: { metadata } }: { workload: Workload }) {
    return (
        <a className={styles.name} href={pathOf.workload(metadata.uid)} tabIndex={-1} onClick={leaveToRow}>
            {metadata.name}
        </a>
    );
}

function leaveToRow(event: MouseEvent): void {
    const isForAnotherWindow = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
    if (isForAnotherWindow) event.stopPropagation();
    else event.preventDefault();
}
