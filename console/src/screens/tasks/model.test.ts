import { expect, test } from 'vitest';
import type { Task } from '../../api/queries/tasks';
import { length, progress, times, whyLine } from './model';

const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000).toISOString();
const now = Date.parse(at(100));
const task = (part: Partial<Task>) =>
    ({ state: 'waiting', createdAt: at(0), retries: 0, ...part }) as unknown as Task;

test('what waits says why, what has failed says how', () => {
    expect(whyLine(task({ position: 3, reasons: [{ code: 'short', text: 'short 1 of 1 GPUs' }] }))).toBe(
        'number 3 in the queue; short 1 of 1 GPUs',
    );
    expect(
        whyLine(task({ state: 'failed', exitCode: 65, detail: 'its output is too long', retries: 1 })),
    ).toBe('exit code 65, its output is too long, tried again 1 time');
    expect(whyLine(task({ state: 'succeeded', exitCode: 0 }))).toBe('');
});

test('times are counted up to now where they go on', () => {
    expect(times(task({}), now)).toEqual({ waitedMs: 100_000 });
    expect(times(task({ state: 'running', startedAt: at(40) }), now)).toEqual({
        waitedMs: 40_000,
        ranMs: 60_000,
    });
    expect(times(task({ state: 'succeeded', startedAt: at(40), endedAt: at(50) }), now)).toEqual({
        waitedMs: 40_000,
        ranMs: 10_000,
    });
    // Cancelled before it began.
    expect(times(task({ state: 'cancelled', endedAt: at(7) }), now)).toEqual({ waitedMs: 7_000 });
});

test('progress is told by what earlier ones took', () => {
    const running = task({ state: 'running', startedAt: at(40), estimatedDuration: '2m' });
    expect(progress(running, now)).toEqual({ share: 0.5, passed: '1m', expected: '2m' });
    expect(progress(task({}), now)).toBeUndefined();
    expect(length(300)).toBe('300ms');
});
