import type { Event } from '../api/client';

/** An event as a preview shows it. Events carry more than every one of them has. */
export type Consequence = Event & {
    by?: string;
    rule?: string;
    why?: string;
    replicas?: number;
    reasons?: string[];
    queue?: string;
};

export interface Consequences {
    evicted: Consequence[];
    /** Ends, and does not come back. */
    stopped: Consequence[];
    shrunk: Consequence[];
    started: Consequence[];
    queued: Consequence[];
    moved: Consequence[];
    /** About quotas and nodes. */
    other: Consequence[];
}

const GROUP: Record<string, Exclude<keyof Consequences, 'other'>> = {
    preempted: 'evicted',
    suspended: 'evicted',
    lost: 'evicted',
    stopped: 'stopped',
    shrunk: 'shrunk',
    started: 'started',
    resumed: 'started',
    grown: 'started',
    queued: 'queued',
    moved: 'moved',
};

/** What would happen, by what it means for people: who leaves, who starts, who waits. */
export function consequences(would: readonly Event[]): Consequences {
    const all: Consequences = {
        evicted: [],
        stopped: [],
        shrunk: [],
        started: [],
        queued: [],
        moved: [],
        other: [],
    };
    for (const event of would as readonly Consequence[]) {
        const group = event.workload == null ? undefined : GROUP[event.event];
        all[group ?? 'other'].push(event);
    }
    // Whoever is queued and starts in the same breath does not wait; nor does a victim wait because of a new reason.
    const settled = new Set([...all.started, ...all.evicted, ...all.stopped].map(one => one.workload));
    all.queued = all.queued.filter(one => !settled.has(one.workload));
    return all;
}
