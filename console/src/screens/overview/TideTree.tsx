import { Badge, Text } from '@mantine/core';
import { text } from '../../texts';
import { OfAmount } from '../../ui/Amount';
import { figure } from '../../ui/amounts';
import { PathLink, pathOf } from '../../ui/PathLink';
import { TideBar, TideLegend, tideScale, type Tide } from '../../ui/TideBar';
import { every, flatten, type TreeNode } from '../../ui/tree';
import type { Split, TideRow } from './tide';
import styles from './TideTree.module.css';

const words = text.overview;
const MODULES = ['service', 'training', 'notebook', 'task', 'other'] as const;

/** The tree of quotas as a picture: what each is entitled to, uses, lends and borrows, and which kind of work has it. */
export function TideTree({ roots }: { roots: readonly TreeNode<TideRow>[] }) {
    if (roots.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {words.tide.empty}
            </Text>
        );
    }
    const scale = scaleOf(every(roots).map(node => node.row.tide));
    return (
        <>
            <ul className={styles.tree}>
                {flatten(roots, new Set()).map(({ node, level }) => (
                    <li key={node.id} className={styles.row} data-quota={node.id}>
                        <span className={styles.name} style={{ paddingLeft: `${(level - 1) * 0.9}rem` }}>
                            <PathLink path={pathOf.quota(node.id)} title={node.id}>
                                {node.id}
                            </PathLink>
                        </span>
                        <span className={styles.figures}>
                            {node.row.overdrawn && <Badge color="coral">{words.tide.overdrawn}</Badge>}
                            <OfAmount used={figure(node.row.drawn)} of={figure(node.row.tide.guarantee)} />
                        </span>
                        <div className={styles.bars}>
                            <TideBar name={node.id} tide={node.row.tide} scale={scale} />
                            <SplitBar split={node.row.split} scale={scale} />
                        </div>
                    </li>
                ))}
            </ul>
            <div className={styles.legends}>
                <TideLegend />
                <ul className={styles.legend}>
                    {MODULES.filter(module => module !== 'other' || hasOthers(roots)).map(module => (
                        <li key={module}>
                            <span className={styles.key} data-module={module} aria-hidden="true" />
                            {words.modules[module]}
                        </li>
                    ))}
                </ul>
            </div>
        </>
    );
}

/** Wide enough for who waits too, up to a point: the bars stay readable when many wait. */
function scaleOf(tides: readonly Tide[]): number {
    const settled = tideScale(tides);
    const wanted = tides.map(one => one.own + one.lent + one.borrowed + one.queued);
    return Math.min(Math.max(settled, ...wanted), settled * 1.4);
}

const hasOthers = (roots: readonly TreeNode<TideRow>[]) => roots.some(node => node.row.split.other > 0);

/** The tide between inference and training: below the bar, what kind of work has what is used. */
function SplitBar({ split, scale }: { split: Split; scale: number }) {
    const parts = MODULES.filter(module => split[module] > 0);
    const label = words.tide.split(parts.map(part => `${words.modules[part]} ${figure(split[part])}`));
    return (
        <div className={styles.split} role="img" aria-label={label} title={label}>
            {parts.map(part => (
                <span
                    key={part}
                    data-module={part}
                    style={{ width: `${Math.min(100, (100 * split[part]) / scale)}%` }}
                />
            ))}
        </div>
    );
}
