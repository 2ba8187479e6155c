import { queryOptions } from '@tanstack/react-query';
import { api, ask, type Schema } from '../client';

export type Whoami = Schema<'Whoami'>;

export const session = {
    whoami: () =>
        queryOptions({
            queryKey: ['session', 'whoami'],
            queryFn: ({ signal }) => ask(api.GET('/api/v1/whoami', { signal })),
            staleTime: 60_000,
            retry: false,
        }),
    roles: () =>
        queryOptions({
            queryKey: ['roles', 'list'],
            queryFn: ({ signal }) => ask(api.GET('/api/v1/roles', { signal })),
            staleTime: 60_000,
        }),
    ways: () =>
        queryOptions({
            queryKey: ['session', 'ways'],
            queryFn: ({ signal }) => ask(api.GET('/api/v1/login', { signal })),
            staleTime: Infinity,
        }),
};

export const sessionChanges = {
    logIn: (body: Schema<'Credentials'>) => ask(api.POST('/api/v1/login', { body })),
    accept: (body: Schema<'Acceptance'>) => ask(api.POST('/api/v1/invitations:accept', { body })),
    logOut: () => ask(api.POST('/api/v1/logout', {})),
    password: (body: Schema<'NewPassword'>) => ask(api.PUT('/api/v1/password', { body })),
};
