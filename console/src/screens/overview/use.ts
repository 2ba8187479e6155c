import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { series, type Series, type Span } from '../../api/queries/series';

/** Whose figures are added up. */
export interface UseOf {
    kind: 'quota' | 'workspace';
    names: readonly string[];
    /** Of quotas: the roots. A child's guarantee is a part of its parent's. */
    roots: readonly string[];
}

const AT_ONCE = 6;
const EVERY_MS = 30_000;

/** Use over time of many together. The more there are, the less often it is read. */
export function seriesOfMany(client: QueryClient, of: UseOf, span: Span) {
    return queryOptions({
        queryKey: ['series', 'use', of, span],
        refetchInterval: EVERY_MS * Math.max(1, Math.ceil(of.names.length / 50)),
        queryFn: async (): Promise<Series | null> => {
            const left = [...of.names];
            const all: Series[] = [];
            const worker = async () => {
                for (let name = left.shift(); name !== undefined; name = left.shift()) {
                    all.push(await client.fetchQuery({ ...series[of.kind](name, span), staleTime: 10_000 }));
                }
            };
            await Promise.all(Array.from({ length: AT_ONCE }, worker));
            return sumSeries(all, (one, metric) => metric !== 'guarantee' || of.roots.includes(one.name));
        },
    });
}

/** Adds figures of the same instants. `null` where nobody knows. */
export function sumSeries(
    all: readonly Series[],
    counts: (one: Series, metric: string) => boolean = () => true,
): Series | null {
    const first = all[0];
    if (!first) return null;
    const sum: Series = { ...first, metrics: {} };
    for (const one of all) {
        for (const [name, metric] of Object.entries(one.metrics)) {
            if (!counts(one, name)) continue;
            const into = (sum.metrics[name] ??= { unit: metric.unit, values: [] });
            metric.values.forEach((value, at) => {
                const before = into.values[at] ?? null;
                into.values[at] = value === null ? before : (before ?? 0) + value;
            });
        }
    }
    return sum;
}
