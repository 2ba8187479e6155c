import { expect, test } from 'vitest';
import { relative, span } from './time';

test('times are told by their largest unit', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(relative(now - 500, now)).toBe('just now');
    expect(relative(now - 42_000, now)).toBe('42 sec. ago');
    expect(relative(now - 3 * 60_000 - 5_000, now)).toBe('3 min. ago');
    expect(relative(now + 2 * 86_400_000, now)).toBe('in 2 days');
});

test('lengths are told by their two largest units', () => {
    expect(span(0)).toBe('0s');
    expect(span(61_000)).toBe('1m 1s');
    expect(span(7_200_000)).toBe('2h');
    expect(span(90_061_000)).toBe('1d 1h');
});
