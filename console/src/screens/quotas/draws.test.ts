import { expect, test } from 'vitest';
import type { Workload } from '../../api/queries/workloads';
import { borrowedFrom, lentTo, nodesOf } from './draws';

const workload = (name: string, quota: string, draws: [string, string, number][], nodes: string[] = []) =>
    ({
        metadata: { name },
        status: {
            quota,
            draws: draws.map(([account, rule, gpu]) => ({ account, rule, class: 'loan', gpu })),
            placements: nodes.map(node => ({ node, gpu: 8 })),
        },
    }) as unknown as Workload;

const all = [
    workload(
        'a1',
        'A',
        [
            ['A', 'own', 8],
            ['B', 'idle', 16],
        ],
        ['n-10', 'n-2'],
    ),
    workload('b1', 'B', [['B', 'own', 8]], ['n-2']),
];

test('a loan has two sides', () => {
    expect(lentTo('B', all)).toEqual([{ quota: 'A', workload: 'a1', rule: 'idle', gpus: 16 }]);
    expect(borrowedFrom('A', all)).toEqual([{ quota: 'B', workload: 'a1', rule: 'idle', gpus: 16 }]);
    expect(lentTo('A', all)).toEqual([]);
});

test('nodes are counted once, in the order of their numbers', () => {
    expect(nodesOf(all)).toEqual([
        { node: 'n-2', gpus: 16, workloads: ['a1', 'b1'] },
        { node: 'n-10', gpus: 8, workloads: ['a1'] },
    ]);
});
