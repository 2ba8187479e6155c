import { expect, test } from 'vitest';
import { fitting, monthStart, periodSearch, rangeOf, stepsFor } from './period';

const now = Date.parse('2026-03-15T10:25:40Z');

test('periods that move with the clock begin at full steps', () => {
    expect(rangeOf({}, now)).toEqual({ from: '2026-03-14T11:00:00.000Z', step: '1h' });
    expect(rangeOf({ period: 'hour' }, now)).toEqual({ from: '2026-03-15T09:26:00.000Z', step: '1m' });
    expect(rangeOf({ period: 'week' }, now).from).toBe('2026-03-08T12:00:00.000Z');
});

test('months are those of statements, in UTC, also over the turn of a year', () => {
    expect(rangeOf({ period: 'month' }, now)).toEqual({ from: '2026-03-01T00:00:00.000Z', step: '1d' });
    expect(rangeOf({ period: 'lastMonth' }, now)).toMatchObject({
        from: '2026-02-01T00:00:00.000Z',
        to: '2026-03-01T00:00:00.000Z',
    });
    expect(new Date(monthStart(now, 3)).toISOString()).toBe('2025-12-01T00:00:00.000Z');
});

test('a step leaves a chart readable', () => {
    expect(fitting(3_600_000)).toBe('1m');
    expect(fitting(30 * 86_400_000)).toBe('6h');
    expect(fitting(5_000 * 86_400_000)).toBe('7d');
    expect(stepsFor({ period: 'day' }, now)).toEqual(['1h', '6h']);
});

test('an address that says nonsense says nothing', () => {
    expect(periodSearch({ period: 'century', from: '2026', step: '2s' })).toEqual({});
    expect(periodSearch({ period: 'custom', from: '2026-01-01T00:00', to: 'soon' })).toEqual({
        period: 'custom',
        from: '2026-01-01T00:00',
    });
});
