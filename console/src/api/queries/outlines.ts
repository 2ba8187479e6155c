import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Workload, WorkloadState } from './workloads';

/** What a glance needs to know of a workload; thousands of them are looked at together. */
export interface Outline {
    uid: string;
    name: string;
    workspace: string;
    module: Schema<'Module'>;
    quota: string;
    priority: number;
    state: WorkloadState;
    /** GPUs of all replicas that it wants. */
    gpu: number;
    startedAt?: string;
    enqueuedAt: string;
    /** The nearest of what it waits for. */
    reason?: Schema<'Reason'>;
    /** GPUs by the account that they are drawn on. */
    draws: { account: string; gpu: number }[];
    /** Where its replicas are, if that was asked for. */
    places?: Schema<'Placement'>[];
    lastPreemption?: Schema<'Preempted'>;
}

export const LIVE: readonly WorkloadState[] = ['running', 'leaving', 'held', 'suspended', 'queued'];
/** How many of those that came last are looked at whatever became of them. */
const LATEST = 200;

function outline({ metadata, status }: Workload, withPlaces: boolean): Outline {
    return {
        uid: metadata.uid,
        name: metadata.name,
        workspace: status.workspace,
        module: status.module,
        quota: status.quota,
        priority: status.priority,
        state: status.state,
        gpu: status.gpu,
        startedAt: status.startedAt ?? undefined,
        enqueuedAt: status.enqueuedAt,
        reason: status.reasons?.[0],
        draws: (status.draws ?? []).map(draw => ({ account: draw.account, gpu: gpus(draw.gpu) })),
        places: withPlaces ? (status.placements ?? []) : undefined,
        lastPreemption: status.lastPreemption ?? undefined,
    };
}

function gpus(gpu: Schema<'Amounts'>['gpu']): number {
    return typeof gpu === 'number' ? gpu : Object.values(gpu).reduce((sum, one) => sum + one, 0);
}

export const outlines = {
    /** Those with these uids, as far as one sees them. */
    some: (uids: readonly string[]) =>
        queryOptions({
            queryKey: ['workloads', 'outlines', uids],
            placeholderData: keepPreviousData,
            queryFn: async ({ signal }) => {
                const all = await Promise.all(
                    uids.map(name =>
                        ask(
                            api.GET('/api/v1/workloads/{name}', { params: { path: { name } }, signal }),
                        ).catch(() => undefined),
                    ),
                );
                return all.filter(one => one !== undefined).map(one => outline(one, false));
            },
        }),
    /** All that live, and the latest whatever became of them: a victim may have ended since. */
    live: (withPlaces: boolean) =>
        queryOptions({
            queryKey: ['workloads', 'outlines', 'live', withPlaces],
            queryFn: async ({ signal }): Promise<Outline[]> => {
                const page = (query: { state?: WorkloadState; limit: number; pageToken?: string }) =>
                    ask(
                        api.GET('/api/v1/workloads', {
                            params: { query: { ...query, past: false } },
                            signal,
                        }),
                    );
                const live = LIVE.map(state => askAll(pageToken => page({ state, limit: 500, pageToken })));
                const [latest, ...lists] = await Promise.all([page({ limit: LATEST }), ...live]);
                const all = [...lists.flat(), ...latest.items].map(one => outline(one, withPlaces));
                // Whoever moved between two looks is there twice.
                return [...new Map(all.map(one => [one.uid, one])).values()];
            },
        }),
};
