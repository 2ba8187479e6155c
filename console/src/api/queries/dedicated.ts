import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type ResourceRequest = Schema<'ResourceRequest'>;
export type NewResourceRequest = Schema<'NewResourceRequest'>;
export type RequestState = Schema<'RequestState'>;
export type ResourceConfig = Schema<'ResourceConfig'>;
export type ConfigState = Schema<'ConfigState'>;

/** Dedicated compute: what was asked for, and what came of it. */
export const dedicated = {
    requests: (state: RequestState | undefined, workspace: string | undefined) =>
        queryOptions({
            queryKey: ['dedicated', 'requests', state, workspace],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/resource-requests', {
                            params: { query: { state, workspace, limit: 500, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    configs: (state: ConfigState | undefined, workspace: string | undefined) =>
        queryOptions({
            queryKey: ['dedicated', 'configs', state, workspace],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/resource-configs', {
                            params: { query: { state, workspace, limit: 500, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    config: (name: string) =>
        queryOptions({
            queryKey: ['dedicated', 'config', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/resource-configs/{name}', { params: { path: { name } }, signal })),
        }),
};

const at = (name: string, query: Asked) => ({ path: { name }, query });

export const dedicatedChanges = {
    request: (body: NewResourceRequest, query: Asked) =>
        ask(api.POST('/api/v1/resource-requests', { params: { query }, body })),
    approve: (name: string, note: string | undefined, query: Asked) =>
        ask(
            api.POST('/api/v1/resource-requests/{name}:approve', { params: at(name, query), body: { note } }),
        ),
    decline: (name: string, note: string | undefined, query: Asked) =>
        ask(
            api.POST('/api/v1/resource-requests/{name}:decline', { params: at(name, query), body: { note } }),
        ),
    withdraw: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/resource-requests/{name}:withdraw', { params: at(name, query) })),
    extend: (name: string, body: Schema<'ExtendRequest'>, query: Asked) =>
        ask(api.POST('/api/v1/resource-configs/{name}:extend', { params: at(name, query), body })),
    release: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/resource-configs/{name}:release', { params: at(name, query) })),
};
