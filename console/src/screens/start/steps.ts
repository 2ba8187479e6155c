import type { User } from '../../api/queries/people';
import type { QuotaTree } from '../../api/queries/quotas';
import type { Pool } from '../../api/queries/supply';
import type { Workspace } from '../../api/queries/workspaces';
import { gpuOf } from '../../ui/amounts';

export const STEPS = ['pool', 'quotas', 'workspace', 'member', 'workload'] as const;
export type Step = (typeof STEPS)[number];

/** What the server has, as far as the first steps are about it. */
export interface Present {
    nodes: number;
    gpus: number;
    quotas: number;
    /** Rooms that somebody made: the one that is always there does not count. */
    workspaces: string[];
    /** People in a workspace who do not look after the platform. */
    members: string[];
    hasWorkload: boolean;
}

export function presentOf(
    pools: readonly Pool[],
    trees: readonly QuotaTree[],
    workspaces: readonly Workspace[],
    users: readonly User[],
    hasWorkload: boolean,
): Present {
    return {
        nodes: pools.reduce((sum, pool) => sum + pool.status.nodes.total, 0),
        gpus: pools.reduce((sum, pool) => sum + gpuOf(pool.status.supply), 0),
        quotas: count(trees),
        workspaces: workspaces.filter(one => !one.status.allQuotas).map(one => one.metadata.name),
        members: users
            .filter(
                ({ spec, status }) =>
                    !spec.platformAdmin && status.serviceAccountOf == null && status.workspaces.length > 0,
            )
            .map(user => user.metadata.name),
        hasWorkload,
    };
}

function count(trees: readonly QuotaTree[]): number {
    return trees.reduce((sum, tree) => sum + 1 + count(tree.children), 0);
}

/** Which steps are done. The first start makes one quota over all of the pool: the first of one's own is the second. */
export function doneOf(present: Present): Record<Step, boolean> {
    return {
        pool: present.nodes > 0,
        quotas: present.quotas > 1,
        workspace: present.workspaces.length > 0,
        member: present.members.length > 0,
        workload: present.hasWorkload,
    };
}

/** The step to take next; `undefined`: all are done. */
export function nextOf(done: Record<Step, boolean>): Step | undefined {
    return STEPS.find(step => !done[step]);
}
