import { expect, test } from 'vitest';
import type { DryRun } from '../../../api/client';
import { verdictOf } from './verdict';

const at = '2026-01-01T00:00:00Z';
const run = (state: string, would: DryRun['would'], nodes: string[] = []) =>
    verdictOf({
        dryRun: true,
        would,
        result: { status: { state, placements: nodes.map(node => ({ node })) } },
    } as unknown as DryRun);

test('who would have to leave is named', () => {
    const verdict = run(
        'held',
        [
            { at, event: 'queued', workload: 'a1' },
            { at, event: 'preempted', workload: 'c1', by: 'a1' } as DryRun['would'][number],
            { at, event: 'shrunk', workload: 's1', by: 'a1' } as DryRun['would'][number],
        ],
        ['n-1', 'n-1', 'n-2'],
    );
    expect(verdict.kind).toBe('preempts');
    expect(verdict.victims.map(one => one.workload)).toEqual(['c1', 's1']);
    expect(verdict.nodes).toEqual(['n-1', 'n-2']);
});

test('it starts, or waits', () => {
    expect(run('running', [{ at, event: 'started', workload: 'a1' }], ['n-1']).kind).toBe('starts');
    expect(run('queued', [{ at, event: 'queued', workload: 'a1' }]).kind).toBe('waits');
});
