import { expect, test } from 'vitest';
import { touches } from './freshness';

test('an event makes old what it moves, and nothing else', () => {
    const kinds = new Set(['workload'] as const);
    const names = new Set(['b1']);
    expect(touches(['workloads', 'list', {}], kinds, names)).toBe(true);
    expect(touches(['workloads', 'one', 'b1', 'explain'], kinds, names)).toBe(true);
    expect(touches(['workloads', 'one', 'b2'], kinds, names)).toBe(false);
    expect(touches(['quotas', 'tree'], kinds, names)).toBe(true);
    expect(touches(['users', 'list'], kinds, names)).toBe(false);
    expect(touches(['dedicated', 'requests'], new Set(['resourceRequest'] as const), new Set())).toBe(true);
    expect(touches(['nodes', 'list'], new Set(['quota'] as const), new Set())).toBe(false);
});
