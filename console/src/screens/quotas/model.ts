import type { Quota, QuotaTree } from '../../api/queries/quotas';
import { gpuOf } from '../../ui/amounts';
import type { Tide } from '../../ui/TideBar';
import type { TreeNode } from '../../ui/tree';

/** A quota with the sums of all that is below it. */
export interface QuotaRow {
    quota: Quota;
    tide: Tide;
    /** GPUs drawn on its account and all below. */
    drawn: number;
    queued: number;
    running: number;
    overdrawn: boolean;
}

/** The bar of one account alone: its share, not what is below it. */
export function tideOf({ status }: Quota): Tide {
    const lent = gpuOf(status.lent);
    return {
        guarantee: gpuOf(status.share),
        own: gpuOf(status.drawn.total) - lent,
        lent,
        borrowed: gpuOf(status.borrowed),
        queued: 0,
    };
}

/** The tree as rows. What is lent and borrowed inside of a quota stays inside: it is its own use. */
export function quotaRows(trees: readonly QuotaTree[]): TreeNode<QuotaRow>[] {
    return trees.map(tree => {
        const children = quotaRows(tree.children);
        const { status, spec, metadata } = tree.quota;
        const sum = (of: (row: QuotaRow) => number) =>
            children.reduce((all, child) => all + of(child.row), 0);
        const lent = gpuOf(status.lent) + sum(row => row.tide.lent);
        const borrowed = gpuOf(status.borrowed) + sum(row => row.tide.borrowed);
        const drawn = gpuOf(status.drawn.total) + sum(row => row.drawn);
        const inside = Math.min(lent, borrowed);
        const tide: Tide = {
            guarantee: gpuOf(spec.guarantee),
            own: drawn - lent + inside,
            lent: lent - inside,
            borrowed: borrowed - inside,
            queued: 0,
        };
        const row: QuotaRow = {
            quota: tree.quota,
            tide,
            drawn,
            queued: status.queued + sum(one => one.queued),
            running: status.running + sum(one => one.running),
            overdrawn: gpuOf(status.balance) < 0,
        };
        return { id: metadata.name, row, children };
    });
}
