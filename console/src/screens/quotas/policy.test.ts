import { expect, test } from 'vitest';
import { draftOf, withPolicies } from './policy';

test('a specification goes through the form and comes out as it was', () => {
    const spec = {
        parent: 'Quota1',
        guarantee: { gpu: 48 },
        queue: { strategy: 'fifo' as const, patience: '3m', agingStep: '10m', starvationGuard: '1h' },
        idleSharing: false,
        protectFor: '10m',
        preemption: {
            childLevel: null,
            selfLevel: {
                preemptors: '6-9',
                victims: { priorities: '4', modules: ['training' as const] },
                scope: 'siblings' as const,
            },
        },
    };
    expect(withPolicies(spec, draftOf(spec))).toEqual(spec);
});

test('what is switched off is sent as absent, and what was typed stays in the form', () => {
    const draft = draftOf({ guarantee: { gpu: 1 } });
    expect(withPolicies({ guarantee: { gpu: 1 } }, draft).preemption).toEqual({
        childLevel: null,
        selfLevel: null,
    });
    const on = { ...draft, child: { ...draft.child, isOn: true, priorities: '1-3' } };
    expect(withPolicies({ guarantee: { gpu: 1 } }, on).preemption?.childLevel?.victims.priorities).toBe(
        '1-3',
    );
});

test('a quota that is marked as shared stays so, and one that never was says nothing of it', () => {
    const spec = { guarantee: { gpu: 1 }, shared: true };
    expect(withPolicies(spec, draftOf(spec)).shared).toBe(true);
    const off = { ...draftOf(spec), isShared: false };
    expect(withPolicies(spec, off).shared).toBe(false);
    expect('shared' in withPolicies({ guarantee: { gpu: 1 } }, draftOf({ guarantee: { gpu: 1 } }))).toBe(
        false,
    );
});
