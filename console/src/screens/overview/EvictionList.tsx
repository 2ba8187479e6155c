import { Text } from '@mantine/core';
import { text } from '../../texts';
import { PathLink, pathOf } from '../../ui/PathLink';
import { RelativeTime } from '../../ui/RelativeTime';
import styles from './EvictionList.module.css';
import type { Eviction } from './waiting';

const words = text.overview.evictions;
const SHOWN = 6;

/** Who had to leave, for whom, by what right, and why this one. */
export function EvictionList({ evicted }: { evicted: readonly Eviction[] }) {
    if (evicted.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {words.none}
            </Text>
        );
    }
    return (
        <ul className={styles.list}>
            {evicted.slice(0, SHOWN).map(one => (
                <li key={one.uid}>
                    <div className={styles.head}>
                        <PathLink path={pathOf.workload(one.uid)}>{one.name}</PathLink>
                        {one.lastPreemption.by != null && <span>{words.by(one.lastPreemption.by)}</span>}
                        <RelativeTime at={one.lastPreemption.at} />
                    </div>
                    <div className={styles.why}>{whyOf(one)}</div>
                </li>
            ))}
        </ul>
    );
}

function whyOf({ lastPreemption: { rule, policyOf, why } }: Eviction): string {
    const parts = [words.rule[rule] ?? rule, policyOf == null ? '' : words.policyOf(policyOf), why];
    return parts.filter(part => part !== '').join(' · ');
}
