import { queryOptions } from '@tanstack/react-query';
import { api, ask, type Schema } from '../client';

export type Series = Schema<'Series'>;

/** How far back a chart looks, and how fine. */
export const SPANS = {
    hour: { ms: 3_600_000, step: '1m' },
    day: { ms: 86_400_000, step: '15m' },
    week: { ms: 604_800_000, step: '2h' },
} as const;

export type Span = keyof typeof SPANS;

/** Figures are taken every 15 s; a chart is read again every 30 s while somebody looks at it. */
const EVERY_MS = 30_000;

function range(span: Span) {
    const to = new Date();
    const from = new Date(to.getTime() - SPANS[span].ms);
    return { from: from.toISOString(), to: to.toISOString(), step: SPANS[span].step };
}

export const series = {
    quota: (name: string, span: Span) =>
        queryOptions({
            queryKey: ['series', 'quota', name, span],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/quotas/{name}/series', {
                        params: { path: { name }, query: range(span) },
                        signal,
                    }),
                ),
        }),
    node: (name: string, span: Span) =>
        queryOptions({
            queryKey: ['series', 'node', name, span],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/nodes/{name}/series', {
                        params: { path: { name }, query: range(span) },
                        signal,
                    }),
                ),
        }),
    workspace: (name: string, span: Span) =>
        queryOptions({
            queryKey: ['series', 'workspace', name, span],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/workspaces/{name}/series', {
                        params: { path: { name }, query: range(span) },
                        signal,
                    }),
                ),
        }),
    workload: (name: string, span: Span, replica?: number) =>
        queryOptions({
            queryKey: ['series', 'workload', name, span, replica],
            refetchInterval: EVERY_MS,
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/workloads/{name}/series', {
                        params: { path: { name }, query: { ...range(span), replica } },
                        signal,
                    }),
                ),
        }),
};
