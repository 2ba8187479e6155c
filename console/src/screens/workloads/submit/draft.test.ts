import { expect, test } from 'vitest';
import type { Workload } from '../../../api/queries/workloads';
import { joinCommand, splitCommand } from './command';
import { bodyOf, draftLike, emptyDraft, totalOf, wrongIn } from './draft';

test('a command is taken apart as a shell would, and put together again', () => {
    const line = `python train.py --name 'a b' "c \\"d\\"" e\\ f ''`;
    const { words, isOpen } = splitCommand(line);
    expect(words).toEqual(['python', 'train.py', '--name', 'a b', 'c "d"', 'e f', '']);
    expect(isOpen).toBe(false);
    expect(splitCommand(joinCommand(words)).words).toEqual(words);
    expect(splitCommand(joinCommand(["it's"])).words).toEqual(["it's"]);
    expect(splitCommand('echo "a').isOpen).toBe(true);
});

test('only what was said is sent', () => {
    expect(bodyOf(emptyDraft)).toEqual({
        metadata: {},
        spec: { module: 'training', priority: 1, replicas: 1, resources: { gpu: 1 } },
    });
});

test('what is not for the module is not sent', () => {
    const draft = {
        ...emptyDraft,
        replicas: 4,
        hasRoles: true,
        idle: 'only' as const,
        idleTimeout: '2h',
        readyPath: '/up',
    };
    const notebook = bodyOf({ ...draft, module: 'notebook' }).spec;
    expect(notebook).toMatchObject({ idleTimeout: '2h', readiness: { path: '/up' }, resources: { gpu: 1 } });
    expect(Object.keys(notebook)).not.toContain('roles');
    expect(Object.keys(notebook)).not.toContain('replicas');
    expect(Object.keys(notebook)).not.toContain('idle');
    const training = bodyOf(draft).spec;
    expect(training.roles).toEqual([
        { name: 'driver', replicas: 1 },
        { name: 'worker', replicas: 2, resources: { gpu: 1 } },
    ]);
    expect(Object.keys(training)).not.toContain('resources');
    expect(totalOf(draft)).toEqual({ gpus: 2, replicas: 3 });
});

test('what cannot be sent is told at its field', () => {
    const wrong = wrongIn({ ...emptyDraft, command: "echo 'a", env: 'A=1\nB', labels: '=x' });
    expect(Object.keys(wrong)).toEqual(['/spec/command', '/spec/env', '/metadata/labels']);
    expect(wrongIn({ ...emptyDraft, env: 'A=1\n\nB=c=d' })).toEqual({});
});

test('another like it asks for the same', () => {
    const spec = {
        quota: 'Quota1',
        module: 'service' as const,
        priority: 5,
        replicas: 4,
        resources: { gpu: 8, memory: '16Gi' },
        command: ['serve', 'a b'],
        gracePeriod: '0s',
    };
    const workload = {
        metadata: { name: 'a1', labels: { project: 'atlas' } },
        spec,
        status: { module: 'service', workspace: 'default', priority: 5 },
    } as unknown as Workload;
    expect(bodyOf(draftLike(workload))).toEqual({
        metadata: { labels: { project: 'atlas' } },
        spec: { ...spec, workspace: 'default' },
    });
});
