import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type Workspace = Schema<'Workspace'>;
export type Member = Schema<'Member'>;
export type Policy = Schema<'Policy'>;
export type PolicySpec = Schema<'PolicySpec'>;

export const workspaces = {
    list: () =>
        queryOptions({
            queryKey: ['workspaces', 'list'],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/workspaces', { params: { query: { pageToken } }, signal })),
                ),
            staleTime: 30_000,
        }),
    members: (name: string) =>
        queryOptions({
            queryKey: ['workspaces', 'members', name],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/workspaces/{name}/members', {
                            params: { path: { name }, query: { limit: 1000, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    policy: (name: string, quota: string) =>
        queryOptions({
            queryKey: ['workspaces', 'policy', name, quota],
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/workspaces/{name}/policies/{quota}', {
                        params: { path: { name, quota } },
                        signal,
                    }),
                ),
        }),
    usage: (name: string) =>
        queryOptions({
            queryKey: ['usage', 'workspace', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/workspaces/{name}/usage', { params: { path: { name } }, signal })),
        }),
};

const wanted = (name: string, spec: Schema<'WorkspaceSpec'>): Schema<'NewWorkspace'> => ({
    kind: 'Workspace',
    metadata: { name },
    spec,
});

export const workspaceChanges = {
    create: (name: string, spec: Schema<'WorkspaceSpec'>, query: Asked) =>
        ask(api.POST('/api/v1/workspaces', { params: { query }, body: wanted(name, spec) })),
    set: (name: string, spec: Schema<'WorkspaceSpec'>, query: Asked) =>
        ask(
            api.PUT('/api/v1/workspaces/{name}', {
                params: { path: { name }, query },
                body: wanted(name, spec),
            }),
        ),
    remove: (name: string, query: Asked) =>
        ask(api.DELETE('/api/v1/workspaces/{name}', { params: { path: { name }, query } })),
    attach: (name: string, quota: string, query: Asked) =>
        ask(
            api.POST('/api/v1/workspaces/{name}:attach', {
                params: { path: { name }, query },
                body: { quota },
            }),
        ),
    detach: (name: string, quota: string, query: Asked) =>
        ask(
            api.POST('/api/v1/workspaces/{name}:detach', {
                params: { path: { name }, query },
                body: { quota },
            }),
        ),
    setMember: (name: string, user: string, role: string, query: Asked) =>
        ask(
            api.PUT('/api/v1/workspaces/{name}/members/{user}', {
                params: { path: { name, user }, query },
                body: { role },
            }),
        ),
    removeMember: (name: string, user: string, query: Asked) =>
        ask(
            api.DELETE('/api/v1/workspaces/{name}/members/{user}', {
                params: { path: { name, user }, query },
            }),
        ),
    createAccount: (name: string, body: Schema<'NewServiceAccount'>) =>
        ask(api.POST('/api/v1/workspaces/{name}/service-accounts', { params: { path: { name } }, body })),
    removeAccount: (name: string, user: string, query: Asked) =>
        ask(
            api.DELETE('/api/v1/workspaces/{name}/service-accounts/{user}', {
                params: { path: { name, user }, query },
            }),
        ),
    setPolicy: (name: string, quota: string, version: string, spec: PolicySpec, query: Asked) =>
        ask(
            api.PUT('/api/v1/workspaces/{name}/policies/{quota}', {
                params: { path: { name, quota }, query, header: { 'If-Match': `"${version}"` } },
                body: { spec },
            }),
        ),
};
