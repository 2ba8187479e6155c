import { expect, test } from 'vitest';
import type { Outline } from '../../api/queries/outlines';
import type { Node } from '../../api/queries/supply';
import { countDevices, gridOfNodes, gridOfWorks } from './grid';
import { sumSeries } from './use';
import { evictions, waitingByReason } from './waiting';
import { move } from './walk';

const work = (name: string, more: Partial<Outline> = {}): Outline => ({
    uid: `w-${name}`,
    name,
    workspace: 'team',
    module: 'training',
    quota: 'Q',
    priority: 1,
    state: 'running',
    gpu: 8,
    enqueuedAt: '2026-01-01T00:00:00Z',
    draws: [],
    ...more,
});

const node = (state: Node['status']['state'], devices: Node['status']['devices']): Node =>
    ({ metadata: { name: 'n' }, status: { state, devices } }) as unknown as Node;

const occupant = (gpu: number, state: 'held' | 'running' | 'leaving' = 'running') => ({
    name: 'a',
    uid: 'w-a',
    unit: 0,
    gpu,
    state,
});

test('every GPU is counted once, for what becomes of it now', () => {
    const nodes = [
        node('ready', [
            { index: 0, workloads: [occupant(1)] },
            { index: 1, workloads: [occupant(0.25)] },
            { index: 2, workloads: [occupant(1, 'leaving'), occupant(1, 'held')] },
            { index: 3, quarantined: 'ecc', workloads: [] },
        ]),
        node('cordoned', [{ index: 0, workloads: [] }]),
    ];
    const grid = gridOfNodes(nodes, [work('a')]);
    expect(grid[0]?.devices[0]?.holders[0]?.work?.quota).toBe('Q');
    expect(countDevices(grid)).toEqual({
        running: 1.25,
        leaving: 1,
        held: 0,
        free: 0.75,
        idle: 1,
        out: 1,
        total: 5,
    });
});

test('what has not changed is not drawn again', () => {
    const nodes = [node('ready', [{ index: 0, workloads: [occupant(1)] }])];
    const drawn = new Map();
    const a = work('a');
    const [first] = gridOfNodes(nodes, [a], drawn);
    expect(gridOfNodes(nodes, [a, work('b')], drawn)[0]).toBe(first);
    expect(gridOfNodes(nodes, [{ ...a, quota: 'R' }], drawn)[0]?.devices[0]?.holders[0]?.work?.quota).toBe(
        'R',
    );
});

test('members see the devices that their own work has, and no more', () => {
    const at = (node: string, devices: number[], gpu: number) => ({
        node,
        devices,
        gpu,
        replica: 0,
        unit: 0,
        state: 'running' as const,
    });
    const grid = gridOfWorks([
        work('a', { places: [at('n-10', [0, 1], 2), at('n-2', [3], 0.5)] }),
        work('b', { places: [at('n-2', [3], 0.25)] }),
    ]);
    expect(grid.map(one => [one.name, one.devices.map(device => device.index)])).toEqual([
        ['n-2', [3]],
        ['n-10', [0, 1]],
    ]);
    expect(grid[0]?.devices[0]?.holders.map(one => [one.name, one.gpu])).toEqual([
        ['a', 0.5],
        ['b', 0.25],
    ]);
});

test('who waits is told by the nearest reason, the longest wait first', () => {
    const short = { code: 'short', text: 'short 8 of 8 GPUs' };
    const groups = waitingByReason([
        work('late', { state: 'queued', reason: short, enqueuedAt: '2026-01-01T02:00:00Z' }),
        work('early', { state: 'suspended', reason: short, enqueuedAt: '2026-01-01T01:00:00Z' }),
        work('behind', { state: 'queued', gpu: 32, reason: { code: 'behind', text: '' } }),
        work('new', { state: 'queued', gpu: 1 }),
        work('runs'),
    ]);
    expect(groups.map(group => [group.code, group.gpu, group.works.map(one => one.name)])).toEqual([
        ['behind', 32, ['behind']],
        ['short', 16, ['early', 'late']],
        ['next', 1, ['new']],
    ]);
});

test('the latest eviction is first, also with other precisions of time', () => {
    const at = (at: string) => ({ lastPreemption: { at, rule: 'recall' as const, why: '' } });
    const all = evictions([
        work('a', at('2026-01-01T00:00:00.9Z')),
        work('b', at('2026-01-01T00:00:01Z')),
        work('c'),
    ]);
    expect(all.map(one => one.name)).toEqual(['b', 'a']);
});

test('figures of several are added; what nobody knows stays unknown', () => {
    const of = (name: string, drawn: (number | null)[], guarantee: number) => ({
        name,
        from: '2026-01-01T00:00:00Z',
        to: '2026-01-01T00:02:00Z',
        step: '1m',
        metrics: {
            drawn: { unit: 'gpu', values: drawn },
            guarantee: { unit: 'gpu', values: drawn.map(() => guarantee) },
        },
    });
    const sum = sumSeries(
        [of('root', [null, 1, 2], 128), of('child', [null, null, 3], 48)],
        (one, metric) => metric !== 'guarantee' || one.name === 'root',
    );
    expect(sum?.metrics.drawn?.values).toEqual([null, 1, 5]);
    expect(sum?.metrics.guarantee?.values).toEqual([128, 128, 128]);
    expect(sumSeries([])).toBeNull();
});

test('arrow keys walk over nodes of different sizes, and stop at the edges', () => {
    const sizes = [8, 4, 0, 8];
    const at = (node: number, device: number) => ({ node, device });
    expect(move('ArrowRight', at(0, 7), sizes, 2)).toEqual(at(1, 0));
    expect(move('ArrowRight', at(1, 3), sizes, 2)).toEqual(at(3, 0));
    expect(move('ArrowLeft', at(0, 0), sizes, 2)).toEqual(at(0, 0));
    expect(move('ArrowDown', at(1, 2), sizes, 2)).toEqual(at(3, 2));
    expect(move('ArrowDown', at(0, 2), sizes, 2)).toEqual(at(0, 6));
    expect(move('ArrowUp', at(3, 1), sizes, 2)).toEqual(at(1, 1));
    expect(move('End', at(0, 0), sizes, 2)).toEqual(at(3, 7));
    expect(move('Enter', at(0, 0), sizes, 2)).toBeUndefined();
});
