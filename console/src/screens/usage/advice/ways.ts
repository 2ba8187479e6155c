import type { Advice, AdvisedWay } from '../../../api/queries/advice';
import type { AskSearch } from '../../compute/ask/search';

export const WEEKS = [1, 2, 4, 8, 12] as const;
export const USUAL_WEEKS = 4;

export interface AdviceSearch {
    weeks?: number;
    book?: string;
}

export type Mark = 'cheapest' | 'best' | 'waitsLonger';

const costOf = (way: AdvisedWay) => (way.cost == null ? Infinity : Number(way.cost));

/** What a way is marked with. The best need not be the cheapest: it also lets nobody wait longer. */
export function markOf(advice: Advice, way: AdvisedWay): Mark | undefined {
    const lowest = Math.min(...advice.ways.map(costOf));
    const isLowest = costOf(way) === lowest && Number.isFinite(lowest);
    if (way.mode === advice.best) return isLowest ? 'cheapest' : 'best';
    const best = advice.ways.find(one => one.mode === advice.best);
    return isLowest && best && costOf(best) > lowest ? 'waitsLonger' : undefined;
}

/** Its part of the highest cost, from 0 to 1. */
export function shareOf(advice: Advice, way: AdvisedWay): number {
    const costs = advice.ways.map(costOf).filter(Number.isFinite);
    const highest = Math.max(0, ...costs);
    return way.cost == null || highest === 0 ? 0 : Number(way.cost) / highest;
}

/** A request for dedicated compute of this kind; `undefined`: a request cannot say it in one number of GPUs. */
export function requestFor(way: AdvisedWay): AskSearch | undefined {
    const models = Object.entries(way.size ?? {}).filter(
        ([resource, amount]) => resource.startsWith('gpu:') && amount > 0,
    );
    const [only] = models;
    if (way.mode === 'shared' || models.length !== 1 || only === undefined) return undefined;
    const gpu = Math.ceil(only[1]);
    // By usage it was tried in steps of an eighth.
    return way.mode === 'reserved'
        ? { kind: 'once', gpu }
        : { kind: 'byUsage', gpu, step: Math.ceil(gpu / 8) };
}
