import type { Outline } from '../../api/queries/outlines';
import { isWaiting } from './tide';

/** Those that wait for the same kind of thing. */
export interface Waiting {
    code: string;
    gpu: number;
    /** Who has waited longest is first. */
    works: Outline[];
}

/** Who waits, by the nearest reason; what holds up the most GPUs is first. */
export function waitingByReason(works: readonly Outline[]): Waiting[] {
    const groups = new Map<string, Waiting>();
    for (const work of works.filter(isWaiting)) {
        const code = work.reason?.code ?? 'next';
        const group = groups.get(code) ?? { code, gpu: 0, works: [] };
        groups.set(code, group);
        group.gpu += work.gpu;
        group.works.push(work);
    }
    for (const group of groups.values()) {
        group.works.sort((a, b) => a.enqueuedAt.localeCompare(b.enqueuedAt));
    }
    return [...groups.values()].sort((a, b) => b.gpu - a.gpu || b.works.length - a.works.length);
}

export type Eviction = Outline & { lastPreemption: NonNullable<Outline['lastPreemption']> };

/** Who had to leave, the latest first. Of each workload its latest eviction. */
export function evictions(works: readonly Outline[]): Eviction[] {
    return works
        .filter((work): work is Eviction => work.lastPreemption !== undefined)
        .sort((a, b) => Date.parse(b.lastPreemption.at) - Date.parse(a.lastPreemption.at));
}
