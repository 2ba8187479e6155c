import { queryOptions } from '@tanstack/react-query';
import { api, ask, type Schema } from '../client';

export type Advice = Schema<'Advice'>;
export type AdvisedWay = Schema<'AdvisedWay'>;

/** The past does not change, and to put it through the engine again takes its time. */
const KEPT_MS = 300_000;

/** What other ways to have run the tasks of some weeks would have cost. */
export const advice = {
    of: (workspace: string, weeks: number, book: string | undefined) =>
        queryOptions({
            queryKey: ['advice', workspace, weeks, book],
            staleTime: KEPT_MS,
            retry: false,
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/advice', { params: { query: { workspace, weeks, book } }, signal })),
        }),
};
