import { expect, test } from 'vitest';
import type { Workload } from '../../../api/queries/workloads';
import { timelineOf, type Told } from './timeline';

const T0 = Date.UTC(2026, 0, 1);
const time = (second: number) => new Date(T0 + second * 1000).toISOString();
const event = (second: number, word: string, more: object = {}): Told => ({
    at: time(second),
    event: word,
    workload: 'c1',
    ...more,
});
const workload = (state: string, endedAt?: number) =>
    ({
        metadata: { createdAt: time(0) },
        status: { state, endedAt: endedAt === undefined ? undefined : time(endedAt) },
    }) as unknown as Workload;
const bars = (all: ReturnType<typeof timelineOf>) =>
    all.segments.map(one => [one.state, (one.from - T0) / 1000, (one.to - T0) / 1000, one.replicas]);

test('a preempted workload ran, waits, and says for whom', () => {
    const told = [
        event(0, 'queued'),
        event(10, 'started', { replicas: 2 }),
        event(30, 'preempted', { by: 'a1', rule: 'child-level', why: 'priority 1' }),
    ];
    const line = timelineOf(workload('queued'), told, T0 + 50_000);
    expect(bars(line)).toEqual([
        ['queued', 0, 10, undefined],
        ['running', 10, 30, 2],
        ['queued', 30, 50, undefined],
    ]);
    expect(line.marks).toMatchObject([{ kind: 'preempted', by: 'a1', rule: 'child-level', at: T0 + 30_000 }]);
    expect(line.end).toBeUndefined();
});

test('a service grows and shrinks while it runs', () => {
    const told = [
        event(0, 'queued'),
        event(0, 'started', { replicas: 2 }),
        event(10, 'grown', { replicas: 4 }),
        event(20, 'shrunk', { replicas: 3, by: 'a1' }),
        event(25, 'moved'),
    ];
    expect(bars(timelineOf(workload('running'), told, T0 + 30_000))).toEqual([
        ['running', 0, 10, 2],
        ['running', 10, 20, 4],
        ['running', 20, 30, 3],
    ]);
});

test('what has ended ends there, after every failure but the last it was tried again', () => {
    const told = [
        event(0, 'queued'),
        event(0, 'started', { replicas: 1 }),
        event(5, 'failed', { restart: 1, restarts: 1 }),
        event(7, 'started', { replicas: 1 }),
        event(9, 'failed'),
    ];
    const line = timelineOf(workload('failed', 9), told, T0 + 99_000);
    expect(bars(line)).toEqual([
        ['running', 0, 5, 1],
        ['queued', 5, 7, undefined],
        ['running', 7, 9, 1],
    ]);
    expect(line.end).toBe('failed');
    expect(line.marks.map(one => one.kind)).toEqual(['failed', 'failed']);
});

test('that something is held, or that it was asked to leave, its state tells', () => {
    const told = [event(0, 'queued'), event(5, 'started', { replicas: 1 }), event(8, 'preempted')];
    expect(bars(timelineOf(workload('leaving'), told, T0 + 10_000)).at(-1)?.[0]).toBe('leaving');
    expect(bars(timelineOf(workload('held'), [event(0, 'queued')], T0 + 10_000))).toEqual([
        ['held', 0, 10, undefined],
    ]);
});
