import { expect, test } from 'vitest';
import { consequences } from './consequences';

const at = '2026-01-01T00:00:00Z';

test('what would happen is sorted by what it means for people', () => {
    const sorted = consequences([
        { at, event: 'scaled', quota: 'Q1' },
        { at, event: 'queued', workload: 'a1' },
        { at, event: 'preempted', workload: 'b1' },
        { at, event: 'started', workload: 'a1' },
        { at, event: 'queued', workload: 'c1' },
    ]);
    expect(sorted.evicted.map(one => one.workload)).toEqual(['b1']);
    expect(sorted.started.map(one => one.workload)).toEqual(['a1']);
    expect(sorted.queued.map(one => one.workload)).toEqual(['c1']);
    expect(sorted.other.map(one => one.quota)).toEqual(['Q1']);
});
