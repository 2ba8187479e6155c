import type { DryRun } from '../../../api/client';
import type { Workload } from '../../../api/queries/workloads';
import { consequences, type Consequence } from '../../../ui/consequences';

/** What a dry run says of a new workload itself. */
export interface Verdict {
    /** `preempts`: others have to leave first. */
    kind: 'starts' | 'waits' | 'preempts';
    workload: Workload;
    nodes: readonly string[];
    /** Who would have to leave, or to shrink, for it. */
    victims: readonly Consequence[];
}

export function verdictOf({ result, would }: DryRun): Verdict {
    const workload = result as unknown as Workload;
    const { evicted, stopped, shrunk } = consequences(would);
    const victims = [...evicted, ...stopped, ...shrunk];
    const { state, placements } = workload.status;
    const nodes = [...new Set((placements ?? []).map(one => one.node))];
    const kind =
        victims.length > 0 || state === 'held' ? 'preempts' : state === 'running' ? 'starts' : 'waits';
    return { kind, workload, nodes, victims };
}
