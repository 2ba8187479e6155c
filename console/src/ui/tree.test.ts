import { expect, test } from 'vitest';
import { flatten, prune, type TreeNode } from './tree';

const leaf = (id: string): TreeNode<string> => ({ id, row: id, children: [] });
const roots = [{ id: 'a', row: 'a', children: [leaf('b'), { id: 'c', row: 'c', children: [leaf('d')] }] }];

test('nothing is seen below what is closed', () => {
    expect(flatten(roots, new Set()).map(line => [line.node.id, line.level])).toEqual([
        ['a', 1],
        ['b', 2],
        ['c', 2],
        ['d', 3],
    ]);
    expect(flatten(roots, new Set(['c'])).map(line => line.node.id)).toEqual(['a', 'b', 'c']);
});

test('what fits is shown with all that is above it', () => {
    expect(
        flatten(
            prune(roots, row => row === 'd'),
            new Set(),
        ).map(line => line.node.id),
    ).toEqual(['a', 'c', 'd']);
});
