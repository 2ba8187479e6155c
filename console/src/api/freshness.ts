import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Event } from './client';

type Kind = 'workload' | 'quota' | 'node' | 'resourceRequest' | 'resourceConfig';

/**
 * Which kinds of events make which resources old. The first part of every query key is one of these words; what is
 * not in here is not told of by the watch: it is read again when somebody changes it here, or looks again.
 */
const MOVED_BY: Record<string, readonly Kind[]> = {
    workloads: ['workload'],
    quotas: ['workload', 'quota'],
    nodes: ['workload', 'node'],
    pools: ['workload', 'quota', 'node'],
    tasks: ['workload'],
    dedicated: ['workload', 'quota', 'resourceRequest', 'resourceConfig'],
    usage: ['workload'],
    events: ['workload', 'quota', 'node'],
};

/** Of these, what is read of one is moved by that one alone. */
const OF_ONE = ['workloads', 'tasks'];

/** Each query is read at most this often, however much happens. */
const EVERY_MS = 500;
/** A query that takes long is read less often: the rest of the time is for other things. */
const SHARE = 4;

/** Reads again what is on screen when the watch says that it has changed; in batches, and never twice at once. */
export class Freshness {
    private readonly dirty = new Map<string, QueryKey>();
    private readonly restUntil = new Map<string, number>();
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly client: QueryClient) {}

    /** Something happened. */
    note(events: Event[]): void {
        const workloads = new Set<string>();
        const kinds = new Set<Kind>();
        for (const event of events) {
            if (event.workload != null) {
                kinds.add('workload');
                workloads.add(event.workload);
                if (event.uid != null) workloads.add(event.uid);
            } else if (event.quota != null) kinds.add('quota');
            else if (event.node != null) kinds.add('node');
            else if ('resourceRequest' in event) kinds.add('resourceRequest');
            else if ('resourceConfig' in event) kinds.add('resourceConfig');
        }
        for (const query of this.client.getQueryCache().getAll()) {
            if (touches(query.queryKey, kinds, workloads)) this.mark(query);
        }
        this.schedule();
    }

    /** Anything may have happened. */
    all(): void {
        for (const query of this.client.getQueryCache().getAll()) this.mark(query);
        this.schedule();
    }

    private mark(query: Query): void {
        if (query.isActive()) this.dirty.set(query.queryHash, query.queryKey);
        else if (!query.state.isInvalidated) query.invalidate();
    }

    private schedule(): void {
        if (this.dirty.size > 0) this.timer ??= setTimeout(() => this.flush(), EVERY_MS);
    }

    private flush(): void {
        this.timer = undefined;
        const now = performance.now();
        for (const [hash, queryKey] of this.dirty) {
            const query = this.client.getQueryCache().get(hash);
            if (!query?.isActive()) {
                this.dirty.delete(hash);
                query?.invalidate();
                continue;
            }
            // Nobody looks at a page in the background.
            const mustWait =
                document.hidden ||
                query.state.fetchStatus === 'fetching' ||
                now < (this.restUntil.get(hash) ?? 0);
            if (mustWait) continue;
            this.dirty.delete(hash);
            void this.client.refetchQueries({ queryKey, exact: true }).then(() => {
                const took = performance.now() - now;
                this.restUntil.set(hash, performance.now() + took * SHARE);
            });
        }
        this.schedule();
    }
}

/**
 * Whether events of these kinds, about these workloads (their names and uids), make a query old.
 * `[resource, 'one', name or uid]` is about one of them.
 */
export function touches(key: QueryKey, kinds: ReadonlySet<Kind>, workloads: ReadonlySet<string>): boolean {
    const [resource, shape, name] = key;
    const moves = MOVED_BY[String(resource)]?.some(kind => kinds.has(kind)) ?? false;
    if (!moves || !OF_ONE.includes(String(resource)) || shape !== 'one') return moves;
    return workloads.has(String(name));
}
