import { expect, test } from 'vitest';
import type { Quota, QuotaTree } from '../../api/queries/quotas';
import { quotaRows } from './model';

function tree(
    name: string,
    guarantee: number,
    figures: { drawn: number; lent?: number; borrowed?: number },
    children: QuotaTree[] = [],
): QuotaTree {
    const gpu = (amount = 0) => ({ gpu: amount });
    const drawn = { total: gpu(figures.drawn), own: gpu(), childLevel: gpu(), selfLevel: gpu(), idle: gpu() };
    const status = {
        drawn,
        lent: gpu(figures.lent),
        borrowed: gpu(figures.borrowed),
        balance: gpu(),
        queued: 1,
        running: 0,
    };
    return {
        quota: { metadata: { name }, spec: { guarantee: gpu(guarantee) }, status } as unknown as Quota,
        children,
    };
}

test('what siblings lend each other is the own use of their parent', () => {
    const roots = quotaRows([
        tree('top', 128, { drawn: 0 }, [
            tree('a', 48, { drawn: 48, lent: 16 }),
            tree('b', 80, { drawn: 80, borrowed: 16 }),
        ]),
    ]);
    const top = roots[0];
    expect(top?.row.tide).toEqual({ guarantee: 128, own: 128, lent: 0, borrowed: 0, queued: 0 });
    expect(top?.row.queued).toBe(3);
    expect(top?.children[0]?.row.tide).toEqual({ guarantee: 48, own: 32, lent: 16, borrowed: 0, queued: 0 });
    expect(top?.children[1]?.row.tide.borrowed).toBe(16);
});
