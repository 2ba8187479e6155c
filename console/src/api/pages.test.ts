import { expect, test } from 'vitest';
import { pageTokens, rowsOf } from './pages';

const page = (items: string[], nextPageToken?: string) => ({ items, nextPageToken });

test('each page says where the next one begins, and no more are asked for than are wanted', () => {
    const pages = [page(['w-9'], 'a'), page(['w-8'], 'b'), page(['w-7'])];
    expect(pageTokens([], 3)).toEqual([undefined]);
    expect(pageTokens(pages, 2)).toEqual([undefined, 'a']);
    expect(pageTokens(pages, 9)).toEqual([undefined, 'a', 'b']);
});

test('a list that has grown since its second page was read shows nothing twice', () => {
    const { rows, pageOf } = rowsOf(
        [page(['w-5', 'w-4', 'w-3'], 'a'), page(['w-3', 'w-2', 'w-1'])],
        id => id,
        id => id !== 'w-4',
    );
    expect(rows).toEqual(['w-5', 'w-3', 'w-2', 'w-1']);
    expect(pageOf).toEqual([0, 0, 1, 1]);
});
