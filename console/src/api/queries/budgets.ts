import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type Budget = Schema<'Budget'>;
export type NewBudget = Schema<'NewBudget'>;

/** What is spent grows all the time: while somebody looks at it, it is read again. */
const EVERY_MS = 15_000;

/** What workspaces mean to spend in a month, of those whose use one may see. */
export const budgets = {
    list: () =>
        queryOptions({
            queryKey: ['budgets', 'list'],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/budgets', { params: { query: { limit: 1000, pageToken } }, signal }),
                    ),
                ),
        }),
    one: (name: string) =>
        queryOptions({
            queryKey: ['budgets', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/budgets/{name}', { params: { path: { name } }, signal })),
        }),
};

export const budgetChanges = {
    /** `version`: of the one that is changed; without it there was none. */
    set: (name: string, version: string | undefined, body: NewBudget, query: Asked) =>
        ask(
            api.PUT('/api/v1/budgets/{name}', {
                params: {
                    path: { name },
                    query,
                    header: version === undefined ? {} : { 'If-Match': `"${version}"` },
                },
                body,
            }),
        ),
    remove: (name: string, query: Asked) =>
        ask(api.DELETE('/api/v1/budgets/{name}', { params: { path: { name }, query } })),
};
