import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

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
    one: (name: string) =>
        queryOptions({
            queryKey: ['nodes', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/nodes/{name}', { params: { path: { name } }, signal })),
        }),
    list: (pool?: string) =>
        queryOptions({
            queryKey: ['nodes', 'list', { pool }],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/nodes', {
                            params: { query: { pool, pageToken, limit: 500 } },
                            signal,
                        }),
                    ),
                ),
        }),
};

const at = (name: string, query: Asked) => ({ path: { name }, query });

/** More supply. Both can be asked first what they would do: who waits may start. */
export const supplyChanges = {
    createPool: (body: Schema<'NewPool'>, query: Asked) =>
        ask(api.POST('/api/v1/pools', { params: { query }, body })),
    addNode: (body: Schema<'NewNode'>, query: Asked) =>
        ask(api.POST('/api/v1/nodes', { params: { query }, body })),
};

/** What administrators do to a node. Each can be asked first what it would do. */
export const nodeChanges = {
    cordon: (name: string, body: Schema<'CordonRequest'>, asked: Asked) =>
        ask(api.POST('/api/v1/nodes/{name}:cordon', { params: at(name, asked), body })),
    uncordon: (name: string, asked: Asked) =>
        ask(api.POST('/api/v1/nodes/{name}:uncordon', { params: at(name, asked) })),
    drain: (name: string, body: Schema<'DrainRequest'>, asked: Asked) =>
        ask(api.POST('/api/v1/nodes/{name}:drain', { params: at(name, asked), body })),
    quarantine: (name: string, body: Schema<'QuarantineRequest'>, asked: Asked) =>
        ask(api.POST('/api/v1/nodes/{name}:quarantine', { params: at(name, asked), body })),
    restore: (name: string, body: Schema<'RestoreRequest'>, asked: Asked) =>
        ask(api.POST('/api/v1/nodes/{name}:restore', { params: at(name, asked), body })),
    remove: (name: string, asked: Asked) =>
        ask(api.DELETE('/api/v1/nodes/{name}', { params: at(name, asked) })),
};
