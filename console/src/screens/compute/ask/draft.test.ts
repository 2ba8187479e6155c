import { expect, test } from 'vitest';
import { bodyOf, emptyDraft, isSound } from './draft';

const draft = { ...emptyDraft, workspace: 'team-b', reason: ' the show ', gpu: 8 };

test('what is reserved once has an end, and begins now unless it says when', () => {
    expect(bodyOf({ ...draft, end: '2026-03-01T18:00Z' })).toEqual({
        workspace: 'team-b',
        reason: 'the show',
        reserved: { size: { gpu: 8 }, end: '2026-03-01T18:00:00.000Z' },
    });
});

test('by usage the size is the most, and the step is needed', () => {
    const byUsage = { ...draft, kind: 'byUsage' as const };
    expect(isSound(byUsage)).toBe(false);
    expect(bodyOf({ ...byUsage, step: 2, minimum: 0, lend: true, cap: 150 })).toEqual({
        workspace: 'team-b',
        reason: 'the show',
        byUsage: { maximum: { gpu: 8 }, minimum: { gpu: 0 }, step: { gpu: 2 } },
        lend: true,
        cap: 150,
    });
});

test('every week has days and times, and nothing of once', () => {
    const body = bodyOf({ ...draft, kind: 'weekly', timeZone: 'UTC', firstDay: 'f', lastDay: 'l', end: 'x' });
    expect(body.reserved).toEqual({
        size: { gpu: 8 },
        weekly: {
            days: ['mon', 'tue', 'wed', 'thu', 'fri'],
            from: '09:00',
            to: '18:00',
            timeZone: 'UTC',
            firstDay: 'f',
            lastDay: 'l',
        },
    });
});
