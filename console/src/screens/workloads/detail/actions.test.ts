import { expect, test } from 'vitest';
import type { Workload } from '../../../api/queries/workloads';
import { whyNot, type WorkloadAction } from './actions';

const workload = (status: object, spec: object = {}) =>
    ({
        spec,
        status: {
            state: 'running',
            module: 'training',
            owner: 'carol',
            workspace: 'team-c',
            replicas: { running: 1 },
            ...status,
        },
    }) as unknown as Workload;

const session = (user: string, ...actions: string[]) => ({
    user,
    administrator: false,
    whyNot: (action: string) => (actions.includes(action) ? undefined : `no ${action}`),
    may: (action: string) => actions.includes(action),
});
const carol = session('carol', 'workload:update', 'workload:open');
const can = (status: object, spec?: object) =>
    (['start', 'stop', 'restart', 'resize', 'priority', 'remove', 'open'] as WorkloadAction[]).filter(
        action => whyNot(action, workload(status, spec), carol) === undefined,
    );

test('what can be asked for follows from the state', () => {
    expect(can({ state: 'running' })).toEqual(['stop', 'restart', 'priority']);
    expect(can({ state: 'queued' })).toEqual(['stop', 'resize', 'priority']);
    expect(can({ state: 'held' })).toEqual(['stop', 'priority']);
    expect(can({ state: 'leaving' })).toEqual(['stop', 'priority']);
    expect(can({ state: 'finished' })).toEqual(['start', 'remove']);
    expect(can({ module: 'service', url: 'http://x/' })).toEqual([
        'stop',
        'restart',
        'resize',
        'priority',
        'open',
    ]);
    expect(can({}, { minReplicas: 1 })).toContain('resize');
    expect(can({ state: 'queued' }, { roles: [{}] })).not.toContain('resize');
});

test('others act on what is theirs, unless they operate the room', () => {
    const berta = session('berta', 'workload:update', 'workload:open');
    expect(whyNot('stop', workload({}), berta)).toContain('carol');
    expect(whyNot('open', workload({ module: 'notebook', url: 'http://x/' }), berta)).toBeUndefined();
    const operator = session('olga', 'workload:update', 'workload:operate');
    expect(whyNot('stop', workload({}), operator)).toBeUndefined();
    expect(whyNot('stop', workload({}), session('guest'))).toBe('no workload:update');
});
