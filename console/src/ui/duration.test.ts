import { expect, test } from 'vitest';
import { durationMs } from './duration';

test('durations of the API are understood', () => {
    expect(durationMs('15s')).toBe(15_000);
    expect(durationMs('1h30m')).toBe(5_400_000);
    expect(durationMs('250ms')).toBe(250);
});
