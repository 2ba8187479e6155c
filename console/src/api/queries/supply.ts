import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';

export type Node = Schema<'Node'>;
export type Pool = Schema<'Pool'>;

export const pools = {
    list: () =>
        queryOptions({
            queryKey: ['pools', 'list'],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/pools', { params: { query: { pageToken } }, signal })),
                ),
        }),
};

export const nodes = {
    list: (pool?: string) =>
        queryOptions({
            queryKey: ['nodes', 'list', { pool }],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/nodes', { params: { query: { pool, pageToken } }, signal })),
                ),
        }),
};
