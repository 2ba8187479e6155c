import type { Event } from '../../../api/client';
import type { Workload, WorkloadState } from '../../../api/queries/workloads';

/** Events carry more than every one of them has. */
export type Told = Event & {
    by?: string;
    rule?: string;
    why?: string;
    replicas?: number;
    queue?: string;
    reasons?: string[];
    draws?: Record<string, unknown>;
    class?: string;
};

type Lasting = Exclude<WorkloadState, 'finished' | 'failed' | 'stopped'>;

/** A time in which it was in one state, with as many replicas. */
export interface Segment {
    state: Lasting;
    from: number;
    to: number;
    replicas?: number;
}

/** An instant at which it lost something. */
export interface Mark {
    kind: 'preempted' | 'suspended' | 'shrunk' | 'lost' | 'failed';
    at: number;
    by?: string;
    rule?: string;
    why?: string;
    node?: string | null;
}

export interface Timeline {
    from: number;
    to: number;
    segments: readonly Segment[];
    marks: readonly Mark[];
    end?: 'finished' | 'failed' | 'stopped';
}

/** In which state an event leaves a workload; events that change none are not here. */
const LEADS_TO: Record<string, Lasting | 'ended'> = {
    queued: 'queued',
    started: 'running',
    resumed: 'running',
    grown: 'running',
    preempted: 'queued',
    suspended: 'suspended',
    lost: 'queued',
    failed: 'queued',
    finished: 'ended',
    stopped: 'ended',
};
const MARKS = new Set<string>(['preempted', 'suspended', 'shrunk', 'lost', 'failed']);

/** What happened to a workload, as bars and marks; `now` is the end of what has not ended. */
export function timelineOf({ status, metadata }: Workload, events: readonly Told[], now: number): Timeline {
    const from = Date.parse(metadata.createdAt);
    const end = ENDS.find(state => state === status.state);
    const latest = events.at(-1);
    // Clocks differ: nothing that was told of lies in the future.
    const soFar = Math.max(now, from, latest ? Date.parse(latest.at) : 0);
    const to = status.endedAt == null ? soFar : Math.max(from, Date.parse(status.endedAt));
    const segments: Segment[] = [];
    const marks: Mark[] = [];
    let open: Segment = { state: 'queued', from, to: from };
    const close = (at: number) => {
        if (at > open.from) segments.push({ ...open, to: at });
    };
    for (const event of events) {
        const at = Date.parse(event.at);
        if (MARKS.has(event.event)) {
            const { by, rule, why, node } = event;
            marks.push({ kind: event.event as Mark['kind'], at, by, rule, why, node });
        }
        const next = stateAfter(event, open);
        if (next === undefined) continue;
        if (next.state === open.state && next.replicas === open.replicas) continue;
        close(at);
        open = { ...next, from: at, to: at };
    }
    // What no event tells: that something is held for it, or that it was asked to leave.
    if (status.state === 'held' || status.state === 'leaving') open.state = status.state;
    close(to);
    return { from, to, segments, marks, end };
}

const ENDS = ['finished', 'failed', 'stopped'] as const;

function stateAfter(event: Told, open: Segment): Pick<Segment, 'state' | 'replicas'> | undefined {
    // It goes on with what is left.
    const isPart = event.event === 'shrunk' || (event.event === 'lost' && (event.replicas ?? 0) > 0);
    if (isPart) return { state: open.state, replicas: event.replicas };
    const state = LEADS_TO[event.event];
    if (state === undefined || state === 'ended') return undefined;
    return { state, replicas: state === 'running' ? event.replicas : undefined };
}
