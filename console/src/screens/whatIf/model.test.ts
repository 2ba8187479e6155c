import { expect, test } from 'vitest';
import type { Run, SimEvent } from '../../api/queries/simulations';
import { highlight, offsetOf } from './highlight';
import { gpuIn, ticksOf, timelineOf } from './timeline';

const run = (events: SimEvent[], ends: Record<string, string>): Run => ({
    events,
    final: {
        books: [],
        workloads: Object.fromEntries(
            Object.entries(ends).map(([name, state]) => [name, { state, preemptions: 0 }]),
        ),
    },
});
const bars = (events: SimEvent[], ends: Record<string, string>, name = 'a') =>
    timelineOf(run(events, ends))
        .lanes.find(lane => lane.name === name)
        ?.bars.map(bar => [bar.kind, bar.from, bar.to]);

test('a workload waits, runs, is preempted and comes back', () => {
    const events: SimEvent[] = [
        { at: 0, workload: 'a', event: 'queued', queue: 'Q' },
        { at: 10, workload: 'a', event: 'started', replicas: 2, draws: { Q: 16 }, class: 'firm' },
        { at: 50, workload: 'a', event: 'preempted', by: 'b', rule: 'child-level' },
        { at: 70, workload: 'a', event: 'started', replicas: 2, draws: { Q: 16 }, class: 'firm' },
        { at: 100, workload: 'a', event: 'finished' },
    ];
    expect(bars(events, { a: 'finished' })).toEqual([
        ['waiting', 0, 10],
        ['running', 10, 50],
        ['waiting', 50, 70],
        ['running', 70, 100],
    ]);
    const lane = timelineOf(run(events, { a: 'finished' })).lanes[0];
    expect(lane?.bars[1]).toMatchObject({ gpu: 16, replicas: 2, class: 'firm' });
    expect(lane?.marks.map(mark => mark.event.event)).toEqual(['preempted']);
    expect(lane?.state).toBe('finished');
});

test('what was there before the run is told by what happens to it first', () => {
    expect(bars([{ at: 100, workload: 'a', event: 'preempted' }], { a: 'queued' })).toEqual([
        ['running', 0, 100],
        ['waiting', 100, 106],
    ]);
    expect(bars([{ at: 100, workload: 'a', event: 'started', replicas: 1 }], { a: 'running' })).toEqual([
        ['waiting', 0, 100],
        ['running', 100, 106],
    ]);
    // Nothing happens to it at all.
    expect(bars([{ at: 100, quota: 'Q', event: 'scaled' }], { a: 'running' })).toEqual([['running', 0, 106]]);
});

test('who loses some replicas runs on, who loses all waits', () => {
    const start: SimEvent = { at: 0, workload: 'a', event: 'started', replicas: 4, class: 'loan' };
    const shrunk = timelineOf(
        run([start, { at: 5, workload: 'a', event: 'shrunk', replicas: 2 }], { a: 'running' }),
    ).lanes[0];
    expect(shrunk?.bars.map(bar => [bar.kind, bar.replicas, bar.class])).toEqual([
        ['running', 4, 'loan'],
        ['running', 2, 'loan'],
    ]);
    expect(
        bars([start, { at: 5, workload: 'a', event: 'lost', on: 'n', replicas: 0 }], {
            a: 'queued',
        })?.[1]?.[0],
    ).toBe('waiting');
});

test('an amount may be by model, with cores and memory beside it', () => {
    expect(gpuIn({ H100: 8, A100: 4 })).toBe(12);
    expect(gpuIn({ gpu: 8, cpu: 64, memory: 1024 })).toBe(8);
});

test('ticks are round, and few', () => {
    expect(ticksOf(10_800, 6)).toEqual([0, 1800, 3600, 5400, 7200, 9000, 10_800]);
    expect(ticksOf(90, 6)).toEqual([0, 30, 60, 90]);
    expect(ticksOf(100 * 604_800, 6).length).toBeLessThanOrEqual(7);
});

test('a scenario is cut into pieces that together are the text', () => {
    const text =
        'pool h100 2x8 H100 # ours\nat 1h30m preview submit x Q training p1 1x8 for 2h\n----\nat 1h what was';
    const lines = highlight(text);
    expect(lines.map(line => line.map(piece => piece.text).join('')).join('\n')).toBe(text);
    const kinds = (line: number) =>
        lines[line]?.filter(piece => piece.kind !== 'plain').map(piece => piece.kind);
    expect(kinds(0)).toEqual(['word', 'name', 'size', 'name', 'comment']);
    expect(kinds(1)).toEqual('word time word word name name module size size word time'.split(' '));
    expect(kinds(3)).toEqual(['after']);
});

test('a line and a column are a place in the text', () => {
    expect(offsetOf('ab\ncde\nf', { line: 2, column: 3 })).toBe(5);
});
