import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';

export type Workspace = Schema<'Workspace'>;

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
};
