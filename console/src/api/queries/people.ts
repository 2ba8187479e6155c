import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type User = Schema<'User'>;
export type Role = Schema<'Role'>;
export type Token = Schema<'Token'>;
export type Invitation = Schema<'Invitation'>;

export const users = {
    list: () =>
        queryOptions({
            queryKey: ['users', 'list'],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/users', { params: { query: { limit: 1000, pageToken } }, signal })),
                ),
        }),
};

export const tokens = {
    /** Of somebody; without a name, one's own. */
    of: (user?: string) =>
        queryOptions({
            queryKey: ['tokens', 'of', user],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/tokens', { params: { query: { user, pageToken } }, signal })),
                ),
        }),
};

export const userChanges = {
    create: (name: string, spec: Schema<'UserSpec'>) =>
        ask(api.POST('/api/v1/users', { body: { metadata: { name }, spec } })),
    set: (name: string, spec: Schema<'UserSpec'>, query: Asked) =>
        ask(
            api.PUT('/api/v1/users/{name}', {
                params: { path: { name }, query },
                body: { metadata: { name }, spec },
            }),
        ),
    remove: (name: string, query: Asked) =>
        ask(api.DELETE('/api/v1/users/{name}', { params: { path: { name }, query } })),
    invite: (name: string) =>
        ask(api.POST('/api/v1/users/{name}:invite', { params: { path: { name } } })) as Promise<Invitation>,
};

export const roleChanges = {
    create: (body: Schema<'NewRole'>) => ask(api.POST('/api/v1/roles', { body })),
    set: (name: string, body: Schema<'NewRole'>) =>
        ask(api.PUT('/api/v1/roles/{name}', { params: { path: { name } }, body })),
    remove: (name: string, query: Asked) =>
        ask(api.DELETE('/api/v1/roles/{name}', { params: { path: { name }, query } })),
};

export const tokenChanges = {
    create: (body: Schema<'NewToken'>) => ask(api.POST('/api/v1/tokens', { body })) as Promise<Token>,
    revoke: (name: string) => ask(api.DELETE('/api/v1/tokens/{name}', { params: { path: { name } } })),
};
