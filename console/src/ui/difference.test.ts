import { expect, test } from 'vitest';
import { differences } from './difference';

test('two versions differ where they differ', () => {
    const before = { guarantee: { gpu: 48 }, queue: { strategy: 'fifo' } };
    const theirs = { guarantee: { gpu: 56 }, queue: { strategy: 'fifo' } };
    const mine = { guarantee: { gpu: 48 }, queue: { strategy: 'balance' }, modules: ['a', 'b'] };
    expect(differences(before, theirs, mine)).toEqual([
        { path: 'guarantee.gpu', before: '48', theirs: '56', mine: '48' },
        { path: 'queue.strategy', before: 'fifo', theirs: 'fifo', mine: 'balance' },
        { path: 'modules', before: '', theirs: '', mine: 'a, b' },
    ]);
});
