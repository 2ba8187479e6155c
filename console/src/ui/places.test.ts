import { expect, test } from 'vitest';
import { nextPlaces } from './places';

const placesOf = (before: ReadonlyMap<string, number>, keys: string) => nextPlaces(before, [...keys]);

test('who stays keeps the place, and who comes takes one that is free', () => {
    const first = placesOf(new Map(), 'abc');
    expect([...first.values()]).toEqual([0, 1, 2]);
    const scrolled = placesOf(first, 'bcd');
    expect(Object.fromEntries(scrolled)).toEqual({ b: 1, c: 2, d: 0 });
    const grown = placesOf(scrolled, 'xbcde');
    expect(Object.fromEntries(grown)).toEqual({ b: 1, c: 2, d: 0, x: 3, e: 4 });
});

test('all are others: no place is new', () => {
    const first = placesOf(new Map(), 'abc');
    expect([...placesOf(first, 'xyz').values()].toSorted()).toEqual([0, 1, 2]);
});
