import { expect, test } from 'vitest';
import type { PriceBook } from '../../../api/queries/metering';
import { draftOf, inForce, modelsOf, specOf, stateOf, type Version } from './model';

const prices = {
    quota: { gpu: { H100: '2.50' }, cpu: '0', idleDiscount: '60' },
    shared: { gpu: { A100: '1' }, memory: '0.01' },
};
const version = (validFrom: string, validTo?: string) =>
    ({ validFrom, validTo, prices }) as unknown as Version;
const now = Date.parse('2026-03-15T00:00:00Z');
const past = version('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
const present = version('2026-02-01T00:00:00Z', '2026-04-01T00:00:00Z');
const coming = version('2026-04-01T00:00:00Z');

test('a version is past, in force, or coming', () => {
    expect([past, present, coming].map(one => stateOf(one, now))).toEqual(['past', 'inForce', 'coming']);
    const book = { status: { versions: [past, present, coming] } } as unknown as PriceBook;
    expect(inForce(book, now)).toBe(present);
});

test('prices go into the form and come out as they were', () => {
    const book = { metadata: { name: 'default' }, spec: { currency: 'EUR', decimals: 2 } } as PriceBook;
    const draft = draftOf(book, prices, ['B200']);
    expect(draft.models).toEqual(['A100', 'B200', 'H100']);
    expect(specOf(draft)).toEqual({ currency: 'EUR', decimals: 2, prices });
    expect(modelsOf(prices)).toEqual(['A100', 'H100']);
});

test('what is emptied has no price, what is 0 is free', () => {
    const draft = draftOf(undefined, { quota: { gpu: { H100: '0' }, cpu: '1' } }, []);
    const emptied = { ...draft, tariffs: { ...draft.tariffs, quota: { ...draft.tariffs.quota, cpu: ' ' } } };
    expect(specOf(emptied).prices).toEqual({ quota: { gpu: { H100: '0' } } });
});
