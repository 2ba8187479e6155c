import type { Run, SimAmount, SimEvent } from '../../api/queries/simulations';

/** A time in which a workload waits or runs. */
export interface Bar {
    from: number;
    to: number;
    kind: 'waiting' | 'suspended' | 'running';
    /** How strong its claim is while it runs. */
    class?: string;
    replicas?: number;
    gpu?: number;
    draws?: Record<string, SimAmount>;
}

/** Something that happened to it in a moment. */
export interface Mark {
    at: number;
    event: SimEvent;
}

export interface Lane {
    name: string;
    bars: Bar[];
    marks: Mark[];
    /** What became of it. */
    state?: string;
}

export interface Timeline {
    lanes: Lane[];
    /** Changes of quotas and nodes. */
    changes: Mark[];
    /** How long the run is, in seconds. */
    end: number;
}

const BEGINS = new Set(['started', 'resumed', 'grown']);
const ENDS = new Set(['finished', 'stopped']);
const MARKED = new Set(['preempted', 'suspended', 'shrunk', 'lost', 'failed', 'refused']);
/** About nothing that happens: they only say something. */
const SAYINGS = new Set(['explain', 'show', 'preview']);
/** What goes on is drawn a little beyond the last event. */
const BEYOND = 1.06;

/** A run as bars: when each workload waits and runs, and what happens to it. */
export function timelineOf(run: Run): Timeline {
    const events = run.events.filter(event => !SAYINGS.has(event.event));
    const last = Math.max(0, ...run.events.map(event => event.at));
    const end = last === 0 ? 3600 : last * BEYOND;
    const lanes = new Map<string, Tracker>();
    const changes: Mark[] = [];
    for (const event of events) {
        if (event.workload === undefined) {
            if (event.quota !== undefined || event.node !== undefined) changes.push({ at: event.at, event });
            continue;
        }
        const lane = lanes.get(event.workload) ?? new Tracker(event.workload);
        lanes.set(event.workload, lane);
        lane.take(event);
    }
    // Those to whom nothing happened: they were there before, and stay as they are.
    for (const [name, { state }] of Object.entries(run.final.workloads)) {
        const lane = lanes.get(name) ?? new Tracker(name);
        lanes.set(name, lane);
        lane.finish(state, end);
    }
    return { lanes: [...lanes.values()].map(tracker => tracker.lane), changes, end };
}

/** Follows one workload through the run. */
class Tracker {
    readonly lane: Lane;
    private now: Bar | undefined;
    private isKnown = false;

    constructor(name: string) {
        this.lane = { name, bars: [], marks: [] };
    }

    take(event: SimEvent): void {
        if (!this.isKnown) this.guess(event);
        this.isKnown = true;
        if (MARKED.has(event.event)) this.lane.marks.push({ at: event.at, event });
        if (event.event === 'queued' && this.now === undefined) this.turn(event.at, { kind: 'waiting' });
        else if (BEGINS.has(event.event)) this.turn(event.at, runningBy(event));
        else if (event.event === 'moved') this.turn(event.at, { ...this.now, ...runningBy(event) });
        else if (event.event === 'preempted') this.turn(event.at, { kind: 'waiting' });
        else if (event.event === 'suspended') this.turn(event.at, { kind: 'suspended' });
        else if (event.event === 'shrunk' || event.event === 'lost')
            this.turn(event.at, left(this.now, event));
        else if (event.event === 'failed')
            this.turn(event.at, event.restart === undefined ? undefined : { kind: 'waiting' });
        else if (ENDS.has(event.event)) this.turn(event.at, undefined);
    }

    finish(state: string, end: number): void {
        if (!this.isKnown && state !== 'finished' && state !== 'failed' && state !== 'stopped') {
            this.turn(0, { kind: state === 'queued' || state === 'suspended' ? 'waiting' : 'running' });
        }
        this.turn(end, undefined);
        this.lane.state = state;
    }

    /** What it did before the run began, told by what happens to it first. */
    private guess(event: SimEvent): void {
        if (event.event === 'queued' || event.event === 'refused' || event.at === 0) return;
        this.turn(0, { kind: BEGINS.has(event.event) && event.event !== 'grown' ? 'waiting' : 'running' });
    }

    private turn(at: number, next: Omit<Bar, 'from' | 'to'> | undefined): void {
        if (this.now && at > this.now.from) this.lane.bars.push({ ...this.now, to: at });
        this.now = next && { ...next, from: at, to: at };
    }
}

function runningBy(event: SimEvent): Omit<Bar, 'from' | 'to'> {
    const running: Omit<Bar, 'from' | 'to'> = { kind: 'running', class: event.class, draws: event.draws };
    if (event.draws)
        running.gpu = Object.values(event.draws).reduce<number>((sum, one) => sum + gpuIn(one), 0);
    if (event.replicas !== undefined) running.replicas = event.replicas;
    return running;
}

/** What is left of it when it lost replicas. */
function left(now: Bar | undefined, event: SimEvent): Omit<Bar, 'from' | 'to'> {
    if (event.replicas === undefined || event.replicas === 0) return { kind: 'waiting' };
    return { kind: 'running', class: now?.class, replicas: event.replicas };
}

const OTHER = new Set(['cpu', 'memory']);

/** GPUs of an amount, of all models together. */
export function gpuIn(amount: SimAmount): number {
    if (typeof amount === 'number') return amount;
    return Object.entries(amount).reduce((sum, [name, one]) => sum + (OTHER.has(name) ? 0 : one), 0);
}

const STEPS = [
    1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** Round instants from 0 to the end, `most` at most. */
export function ticksOf(end: number, most: number): number[] {
    const step = STEPS.find(one => end / one <= most) ?? Math.ceil(end / most / 604_800) * 604_800;
    return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}
