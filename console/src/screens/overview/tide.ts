import type { Schema } from '../../api/client';
import type { Outline } from '../../api/queries/outlines';
import type { QuotaTree } from '../../api/queries/quotas';
import type { TreeNode } from '../../ui/tree';
import { quotaRows, type QuotaRow } from '../quotas/model';

export type Module = Schema<'Module'>;

/** GPUs by what kind of work has them. `other`: work that one may not see. */
export type Split = Record<Module | 'other', number>;

export interface TideRow extends QuotaRow {
    split: Split;
}

const nothing = (): Split => ({ service: 0, training: 0, notebook: 0, task: 0, other: 0 });

function add(to: Split, more: Split): void {
    for (const module of Object.keys(to) as (keyof Split)[]) to[module] += more[module];
}

/** The tree of quotas with who waits there, and which kind of work draws on each account and all below. */
export function tideRows(trees: readonly QuotaTree[], works: readonly Outline[]): TreeNode<TideRow>[] {
    const splits = new Map<string, Split>();
    const waiting = new Map<string, number>();
    for (const work of works) {
        for (const draw of work.draws) {
            const split = splits.get(draw.account) ?? nothing();
            splits.set(draw.account, split);
            split[work.module] += draw.gpu;
        }
        if (isWaiting(work)) waiting.set(work.quota, (waiting.get(work.quota) ?? 0) + work.gpu);
    }
    const withWork = (node: TreeNode<QuotaRow>): TreeNode<TideRow> => {
        const children = node.children.map(withWork);
        const split = nothing();
        add(split, splits.get(node.id) ?? nothing());
        split.other = 0;
        let queued = waiting.get(node.id) ?? 0;
        for (const child of children) {
            add(split, { ...child.row.split, other: 0 });
            queued += child.row.tide.queued;
        }
        const known = split.service + split.training + split.notebook + split.task;
        split.other = Math.max(0, round(node.row.drawn - known));
        return { ...node, children, row: { ...node.row, tide: { ...node.row.tide, queued }, split } };
    };
    return quotaRows(trees).map(withWork);
}

const round = (value: number) => Math.round(value * 1000) / 1000;

export function isWaiting(work: Outline): boolean {
    return work.state === 'queued' || work.state === 'suspended';
}
