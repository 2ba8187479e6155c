import { expect, test } from 'vitest';
import { doneOf, nextOf, presentOf, type Present } from './steps';

const EMPTY: Present = { nodes: 0, gpus: 0, quotas: 0, workspaces: [], members: [], hasWorkload: false };

test('steps are done by what is there, in whatever order', () => {
    expect(nextOf(doneOf(EMPTY))).toBe('pool');
    const first = { ...EMPTY, nodes: 16, gpus: 128, quotas: 1 };
    expect(nextOf(doneOf(first))).toBe('quotas');
    const busy = { ...first, hasWorkload: true };
    expect(doneOf(busy).workload).toBe(true);
    expect(nextOf(doneOf(busy))).toBe('quotas');
    const all = { ...busy, quotas: 2, workspaces: ['vision'], members: ['berta'] };
    expect(nextOf(doneOf(all))).toBeUndefined();
});

test('what is always there does not count', () => {
    type Args = Parameters<typeof presentOf>;
    const room = { metadata: { name: 'default' }, spec: {}, status: { allQuotas: true } };
    const admin = {
        metadata: { name: 'admin' },
        spec: { platformAdmin: true },
        status: { workspaces: [room] },
    };
    const robot = {
        metadata: { name: 'ci' },
        spec: {},
        status: { serviceAccountOf: 'x', workspaces: [room] },
    };
    const present = presentOf(
        [],
        [],
        [room] as unknown as Args[2],
        [admin, robot] as unknown as Args[3],
        false,
    );
    expect(present).toEqual(EMPTY);
});
