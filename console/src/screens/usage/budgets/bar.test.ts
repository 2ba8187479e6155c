import { expect, test } from 'vitest';
import { hasLabel, levelOf, percentOf, placeOf } from './bar';

test('a bar is full at 100 percent, and longer where more is spent', () => {
    expect(placeOf(82.5, 82.5)).toBe(82.5);
    expect(placeOf(250, 250)).toBe(100);
    expect(placeOf(100, 250)).toBe(40);
});

test('labels that would stand on each other are left out, the last never', () => {
    expect([50, 80, 100].filter(one => hasLabel(one, 60))).toEqual([50, 80, 100]);
    expect([50, 80, 100].filter(one => hasLabel(one, 120))).toEqual([50, 100]);
    expect([50, 80, 100].filter(one => hasLabel(one, 900))).toEqual([100]);
});

test('it is near from 80 percent on and over from 100 on', () => {
    expect([79.9, 80, 99.9, 100].map(levelOf)).toEqual(['calm', 'near', 'near', 'over']);
});

test('what is not an amount has no part', () => {
    expect(percentOf('412.50', '500')).toBe(82.5);
    expect(percentOf('1', '0')).toBeUndefined();
    expect(percentOf('1', ' ')).toBeUndefined();
    expect(percentOf('1', 'much')).toBeUndefined();
});
