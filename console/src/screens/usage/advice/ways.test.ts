import { expect, test } from 'vitest';
import type { Advice, AdvisedWay } from '../../../api/queries/advice';
import { markOf, requestFor, shareOf } from './ways';

const waiting = { p50: '0s', p95: '0s', max: '0s' };
const way = (mode: string, cost: string | undefined, size = {}): AdvisedWay => ({
    mode,
    cost,
    size,
    waiting,
});

function advice(best: string, ...costs: (string | undefined)[]): Advice {
    const ways = ['shared', 'reserved', 'byUsage'].map((mode, index) => way(mode, costs[index]));
    return {
        workspace: 'team-b',
        from: '2026-01-01T00:00:00Z',
        to: '2026-01-15T00:00:00Z',
        tasks: 3,
        priceBook: 'default',
        currency: 'EUR',
        tried: [],
        ways,
        best,
    };
}
const marks = (one: Advice) => one.ways.map(way => markOf(one, way));

test('the cheapest is marked; where it makes people wait, the best is another', () => {
    expect(marks(advice('byUsage', '30', '20', '9.5'))).toEqual([undefined, undefined, 'cheapest']);
    expect(marks(advice('shared', '30', '20', '40'))).toEqual(['best', 'waitsLonger', undefined]);
    expect(marks(advice('shared', undefined, undefined, undefined))).toEqual(['best', undefined, undefined]);
});

test('costs are compared with the highest that is known', () => {
    const one = advice('shared', '10', '40', undefined);
    expect(one.ways.map(way => shareOf(one, way))).toEqual([0.25, 1, 0]);
});

test('what is one number of GPUs can be asked for', () => {
    expect(requestFor(way('shared', '1'))).toBeUndefined();
    expect(requestFor(way('reserved', '1', { 'gpu:H100': 3.5, cpu: 8 }))).toEqual({ kind: 'once', gpu: 4 });
    expect(requestFor(way('byUsage', '1', { 'gpu:H100': 12 }))).toEqual({
        kind: 'byUsage',
        gpu: 12,
        step: 2,
    });
    expect(requestFor(way('reserved', '1', { 'gpu:H100': 1, 'gpu:A100': 1 }))).toBeUndefined();
});
