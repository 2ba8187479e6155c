import type { Workload } from '../../api/queries/workloads';
import { gpuOf } from '../../ui/amounts';

/** Somebody on the other side of a loan. */
export interface Loan {
    quota: string;
    workload: string;
    rule: string;
    gpus: number;
}

/** What work of other quotas draws on an account: lent to whom. */
export function lentTo(name: string, workloads: readonly Workload[]): Loan[] {
    return workloads
        .filter(one => one.status.quota !== name)
        .flatMap(one =>
            (one.status.draws ?? [])
                .filter(draw => draw.account === name)
                .map(draw => ({
                    quota: one.status.quota,
                    workload: one.metadata.name,
                    rule: draw.rule,
                    gpus: gpuOf(draw),
                })),
        );
}

/** What work of a quota draws on other accounts: borrowed from whom. */
export function borrowedFrom(name: string, workloads: readonly Workload[]): Loan[] {
    return workloads
        .filter(one => one.status.quota === name)
        .flatMap(one =>
            (one.status.draws ?? [])
                .filter(draw => draw.account !== name)
                .map(draw => ({
                    quota: draw.account,
                    workload: one.metadata.name,
                    rule: draw.rule,
                    gpus: gpuOf(draw),
                })),
        );
}

/** GPUs per node that a quota's work occupies, and whose they are. */
export interface NodeUse {
    node: string;
    gpus: number;
    workloads: string[];
}

export function nodesOf(workloads: readonly Workload[]): NodeUse[] {
    const uses = new Map<string, NodeUse>();
    for (const workload of workloads) {
        for (const placement of workload.status.placements ?? []) {
            const use = uses.get(placement.node) ?? { node: placement.node, gpus: 0, workloads: [] };
            use.gpus += placement.gpu;
            if (!use.workloads.includes(workload.metadata.name)) use.workloads.push(workload.metadata.name);
            uses.set(placement.node, use);
        }
    }
    return [...uses.values()].toSorted((a, b) => a.node.localeCompare(b.node, 'en', { numeric: true }));
}
