import { expect, test } from 'vitest';
import type { Node } from '../../api/queries/supply';
import { findRows, memoryBytes, nodeRow } from './model';

const one = (name: string, gpu: number) => ({ name, uid: name, unit: 0, gpu, state: 'running' as const });
const node = {
    metadata: { name: 'h100-3' },
    spec: { pool: 'h100', gpus: 3, model: 'H100', cpu: 64, memory: '1Ti' },
    status: {
        state: 'ready',
        free: { gpu: 1, devices: 1, cpu: 60, memory: 1024 ** 4 - 1024 ** 3 },
        devices: [
            { index: 0, workloads: [one('train', 1)] },
            { index: 1, workloads: [one('note', 0.5), one('train', 0.25)] },
            { index: 2, quarantined: 'ecc', workloads: [] },
        ],
        withoutDevices: [one('agent', 0)],
    },
} as unknown as Node;

test('a row adds up what is used of a node, and names everybody once', () => {
    expect(nodeRow(node)).toEqual({
        node,
        used: 1.75,
        out: 1,
        cpuUsed: 4,
        memoryUsed: 1024 ** 3,
        memory: 1024 ** 4,
        works: ['train', 'note', 'agent'],
    });
});

test('sizes are read as the API writes them', () => {
    expect(memoryBytes('1.5Gi')).toBe(1.5 * 1024 ** 3);
    expect(memoryBytes('512')).toBe(512);
    expect(memoryBytes(7)).toBe(7);
    expect(memoryBytes(null)).toBe(0);
});

test('nodes are found by name, model, and by what runs there', () => {
    const rows = [nodeRow(node)];
    expect(findRows(rows, { find: '100-3' })).toHaveLength(1);
    expect(findRows(rows, { find: 'NOTE' })).toHaveLength(1);
    expect(findRows(rows, { find: 'H100', state: 'cordoned' })).toHaveLength(0);
    expect(findRows(rows, { pool: 'other' })).toHaveLength(0);
});
