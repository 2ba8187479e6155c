import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type DryRun, type Schema } from '../client';
import type { Asked } from './quotas';

export type Workload = Schema<'Workload'>;
export type WorkloadState = Schema<'WorkloadState'>;
export type WorkloadSpec = Schema<'WorkloadSpec'>;
export type WorkloadList = Schema<'WorkloadList'>;
/** `kind` may be left out, whatever the generated type says of it. */
export type NewWorkload = Omit<Schema<'NewWorkload'>, 'kind'>;
export type Explanation = Schema<'Explanation'>;
export type Module = Schema<'Module'>;

/** The list's own filters, as the API has them. */
export interface WorkloadFilter {
    state?: WorkloadState;
    quota?: string;
    workspace?: string;
    module?: Module;
    name?: string;
    label?: string;
}

/** Rows of a page of a long list: some screens of it. */
const PAGE = 200;

/** Everything that is read of workloads. One is asked for by its uid: names are used again. */
export const workloads = {
    list: (filter: WorkloadFilter) =>
        queryOptions({
            queryKey: ['workloads', 'list', filter],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/workloads', {
                            params: { query: { ...filter, limit: 500, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    /** One page of a long list. Where it begins moves as the list grows, so what is left behind is soon forgotten. */
    page: (filter: WorkloadFilter, pageToken: string | undefined) =>
        queryOptions({
            queryKey: ['workloads', 'page', filter, pageToken],
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/workloads', {
                        params: { query: { ...filter, limit: PAGE, pageToken } },
                        signal,
                    }),
                ),
            gcTime: 5_000,
        }),
    one: (name: string) =>
        queryOptions({
            queryKey: ['workloads', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/workloads/{name}', { params: { path: { name } }, signal })),
        }),
    explain: (name: string) =>
        queryOptions({
            // Whoever waits waits for what happens to others.
            queryKey: ['workloads', 'explain', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/workloads/{name}:explain', { params: { path: { name } }, signal })),
        }),
    events: (name: string) =>
        queryOptions({
            queryKey: ['workloads', 'one', name, 'events'],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/workloads/{name}/events', {
                            params: { path: { name }, query: { limit: 1000, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
};

const at = (name: string, query: Asked) => ({ path: { name }, query });

export const workloadChanges = {
    /** What submitting would do now. */
    preview: (body: NewWorkload, signal: AbortSignal) =>
        ask(
            api.POST('/api/v1/workloads', {
                params: { query: { dryRun: true } },
                body: body as Schema<'NewWorkload'>,
                signal,
            }),
        ) as Promise<DryRun>,
    /** With a key of one's own, a retry after a lost answer submits nothing twice. */
    submit: async (body: NewWorkload, key: string) => {
        const params = { header: { 'Idempotency-Key': key } };
        return (await ask(
            api.POST('/api/v1/workloads', { params, body: body as Schema<'NewWorkload'> }),
        )) as Workload;
    },
    start: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/workloads/{name}:start', { params: at(name, query) })),
    stop: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/workloads/{name}:stop', { params: at(name, query) })),
    restart: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/workloads/{name}:restart', { params: at(name, query) })),
    resize: (name: string, replicas: number, query: Asked) =>
        ask(
            api.POST('/api/v1/workloads/{name}:resize', {
                params: at(name, query),
                body: { replicas },
            }),
        ),
    priority: (name: string, priority: number, query: Asked) =>
        ask(
            api.POST('/api/v1/workloads/{name}:priority', {
                params: at(name, query),
                body: { priority },
            }),
        ),
    remove: (name: string, query: Asked) =>
        ask(api.DELETE('/api/v1/workloads/{name}', { params: at(name, query) })),
    /** A link that lets this browser in, once, within a minute. */
    open: (name: string) => ask(api.POST('/api/v1/workloads/{name}:open', { params: { path: { name } } })),
};
