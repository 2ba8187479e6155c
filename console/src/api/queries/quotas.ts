import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';

export type Quota = Schema<'Quota'>;
export type QuotaTree = Schema<'QuotaTree'>;
export type NewQuota = Schema<'NewQuota'>;
export type Mode = Schema<'Mode'>;

/** Everything that is read of quotas. Keys: `[resource, shape, ...what]`; freshness.ts knows the first two. */
export const quotas = {
    tree: () =>
        queryOptions({
            queryKey: ['quotas', 'tree'],
            queryFn: ({ signal }) => ask(api.GET('/api/v1/quotas:tree', { signal })),
        }),
    one: (name: string) =>
        queryOptions({
            queryKey: ['quotas', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/quotas/{name}', { params: { path: { name } }, signal })),
        }),
    queue: (name: string) =>
        queryOptions({
            queryKey: ['quotas', 'queue', name],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/quotas/{name}/queue', {
                            params: { path: { name }, query: { pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    usage: (name: string) =>
        queryOptions({
            queryKey: ['quotas', 'usage', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/quotas/{name}/usage', { params: { path: { name } }, signal })),
        }),
    history: (name: string) =>
        queryOptions({
            queryKey: ['quotas', 'history', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/quotas/{name}/history', { params: { path: { name } }, signal })),
        }),
};

/** What one may ask for of a change: only what it would do, or to do it. */
export interface Asked {
    dryRun: boolean;
}

/** The version that a change is made to; whoever was faster is not overwritten. */
const ifMatch = (version: string) => ({ 'If-Match': `"${version}"` });

export const quotaChanges = {
    create: (body: NewQuota, query: Asked) => ask(api.POST('/api/v1/quotas', { params: { query }, body })),
    replace: (name: string, version: string, body: NewQuota, query: Asked) =>
        ask(
            api.PUT('/api/v1/quotas/{name}', {
                params: { path: { name }, query, header: ifMatch(version) },
                body,
            }),
        ),
    remove: (name: string, version: string, query: Asked) =>
        ask(
            api.DELETE('/api/v1/quotas/{name}', {
                params: { path: { name }, query, header: ifMatch(version) },
            }),
        ),
    scale: (name: string, version: string, body: Schema<'ScaleRequest'>, query: Asked) =>
        ask(
            api.POST('/api/v1/quotas/{name}:scale', {
                params: { path: { name }, query, header: ifMatch(version) },
                body,
            }),
        ),
    transfer: (name: string, version: string, body: Schema<'TransferRequest'>, query: Asked) =>
        ask(
            api.POST('/api/v1/quotas/{name}:transfer', {
                params: { path: { name }, query, header: ifMatch(version) },
                body,
            }),
        ),
};
