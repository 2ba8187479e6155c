import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type Webhook = Schema<'Webhook'>;
export type Delivery = Schema<'Delivery'>;
export type Notice = Schema<'Notice'>;

/** The watch says nothing of deliveries: they are asked for while somebody looks at them. */
const EVERY_MS = 3_000;

export const webhooks = {
    of: (name: string) =>
        queryOptions({
            queryKey: ['webhooks', 'of', name],
            queryFn: async ({ signal }) =>
                (
                    await ask(
                        api.GET('/api/v1/workspaces/{name}/webhooks', { params: { path: { name } }, signal }),
                    )
                ).items,
        }),
    deliveries: (name: string, hook: string) =>
        queryOptions({
            queryKey: ['webhooks', 'deliveries', name, hook],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/workspaces/{name}/webhooks/{hook}/deliveries', {
                            params: { path: { name, hook }, query: { limit: 1000, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
};

export const webhookChanges = {
    /** Makes it, or changes it. The answer that made it has the secret. */
    set: (name: string, hook: string, body: Schema<'NewWebhook'>) =>
        ask(
            api.PUT('/api/v1/workspaces/{name}/webhooks/{hook}', { params: { path: { name, hook } }, body }),
        ) as Promise<Webhook>,
    remove: (name: string, hook: string, query: Asked) =>
        ask(
            api.DELETE('/api/v1/workspaces/{name}/webhooks/{hook}', {
                params: { path: { name, hook }, query },
            }),
        ),
    test: (name: string, hook: string) =>
        ask(api.POST('/api/v1/workspaces/{name}/webhooks/{hook}:test', { params: { path: { name, hook } } })),
    retry: (name: string, hook: string, id: string) =>
        ask(
            api.POST('/api/v1/workspaces/{name}/webhooks/{hook}/deliveries/{id}:retry', {
                params: { path: { name, hook, id } },
            }),
        ),
};
