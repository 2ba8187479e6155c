import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';
import type { Asked } from './quotas';

export type UsageReport = Schema<'UsageReport'>;
export type UsageSum = Schema<'UsageSum'>;
export type UsageRecord = Schema<'UsageRecord'>;
export type Bill = Schema<'Bill'>;
export type BillLine = Schema<'BillLine'>;
export type PriceBook = Schema<'PriceBook'>;
export type PriceBookSpec = Schema<'PriceBookSpec'>;
export type Tariff = Schema<'Tariff'>;
export type Correction = Schema<'Correction'>;
export type NewCorrection = Schema<'NewCorrection'>;

/** Which use is meant, as the API has it. */
export interface UsageFilter {
    workspace?: string;
    user?: string;
    quota?: string;
    mode?: string;
    resource?: string;
    class?: string;
    module?: string;
}

/** From when to when, RFC 3339; `to` is not part of it. Without an end it goes on. */
export interface Range {
    from: string;
    to?: string;
}

/** What is used grows all the time: while somebody looks at it, it is read again. */
const EVERY_MS = 15_000;
const PAGE = 200;

/** The range is told when it is asked: a period that moves with the clock has a fixed name. */
type RangeOf = () => Range;

export const metering = {
    sums: (about: unknown, filter: UsageFilter, groupBy: string, rangeOf: RangeOf, step?: string) =>
        queryOptions({
            queryKey: ['metering', 'sums', about, filter, groupBy, step],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/usage', {
                        params: { query: { ...filter, ...rangeOf(), groupBy, step } },
                        signal,
                    }),
                ) as Promise<UsageReport>,
        }),
    records: (filter: UsageFilter & Range & { workloadId?: string }, pageToken: string | undefined) =>
        queryOptions({
            queryKey: ['metering', 'records', filter, pageToken],
            refetchInterval: EVERY_MS,
            queryFn: async ({ signal }) =>
                (await ask(
                    api.GET('/api/v1/usage/records', {
                        params: { query: { ...filter, limit: PAGE, pageToken } },
                        signal,
                    }),
                    // A record alone is only in the answer to `format=jsonl`.
                )) as Schema<'UsageRecordList'>,
            gcTime: 5_000,
        }),
    bill: (filter: UsageFilter & Range & { book?: string }, expand: boolean) =>
        queryOptions({
            queryKey: ['metering', 'bill', filter, expand],
            refetchInterval: EVERY_MS,
            retry: false,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/bills', {
                        params: { query: { ...filter, expand: expand ? true : undefined } },
                        signal,
                    }),
                ) as Promise<Bill>,
        }),
    corrections: (filter: UsageFilter & Range) =>
        infiniteQueryOptions({
            queryKey: ['metering', 'corrections', filter],
            initialPageParam: undefined as string | undefined,
            getNextPageParam: (last: Schema<'CorrectionList'>) => last.nextPageToken ?? undefined,
            queryFn: ({ pageParam, signal }) =>
                ask(
                    api.GET('/api/v1/usage/corrections', {
                        params: { query: { ...filter, limit: PAGE, pageToken: pageParam } },
                        signal,
                    }),
                ),
        }),
};

/** The address of an export: all that the filter lets through. */
export function exportAddress(
    what: 'usage' | 'usage/records',
    query: UsageFilter & Range & { groupBy?: string; step?: string; workloadId?: string },
): string {
    const all = new URLSearchParams({ format: 'csv' });
    for (const [name, value] of Object.entries(query)) if (value !== undefined) all.set(name, String(value));
    return `/api/v1/${what}?${all.toString()}`;
}

export const meteringChanges = {
    correct: (body: NewCorrection, query: Asked) =>
        ask(api.POST('/api/v1/usage/corrections', { params: { query }, body })),
};

export const prices = {
    list: () =>
        queryOptions({
            queryKey: ['prices', 'list'],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(api.GET('/api/v1/prices', { params: { query: { limit: 1000, pageToken } }, signal })),
                ),
        }),
    one: (name: string) =>
        queryOptions({
            queryKey: ['prices', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/prices/{name}', { params: { path: { name } }, signal })),
        }),
};

const wanted = (name: string, spec: PriceBookSpec): Schema<'NewPriceBook'> => ({
    kind: 'PriceBook',
    metadata: { name },
    spec,
});

export const priceChanges = {
    create: (name: string, spec: PriceBookSpec, query: Asked) =>
        ask(api.POST('/api/v1/prices', { params: { query }, body: wanted(name, spec) })),
    set: (name: string, version: string, spec: PriceBookSpec, query: Asked) =>
        ask(
            api.PUT('/api/v1/prices/{name}', {
                params: { path: { name }, query, header: { 'If-Match': `"${version}"` } },
                body: wanted(name, spec),
            }),
        ),
};
