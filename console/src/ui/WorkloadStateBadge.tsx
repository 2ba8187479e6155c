import { Badge } from '@mantine/core';
import type { WorkloadState } from '../api/queries/workloads';
import { text } from '../texts';

const COLORS: Record<WorkloadState, string> = {
    queued: 'gray',
    suspended: 'sand',
    held: 'sand',
    running: 'tide',
    leaving: 'coral',
    finished: 'gray',
    failed: 'coral',
    stopped: 'gray',
};

/** The state of a workload; what it means on hover. */
export function WorkloadStateBadge({ state }: { state: WorkloadState }) {
    const hasEnded = state === 'finished' || state === 'stopped';
    return (
        <Badge
            color={COLORS[state]}
            variant={hasEnded ? 'outline' : 'light'}
            title={text.workloads.statesAbout[state]}
        >
            {text.workloads.states[state]}
        </Badge>
    );
}
