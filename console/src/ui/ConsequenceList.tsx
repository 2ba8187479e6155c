import { Text } from '@mantine/core';
import type { Event } from '../api/client';
import { text } from '../texts';
import { consequences, type Consequence, type Consequences } from './consequences';
import styles from './ConsequenceList.module.css';

const words = text.common.preview;
const GROUPS = ['evicted', 'stopped', 'shrunk', 'started', 'queued', 'moved'] as const;

/** What would happen: who is evicted and why, who starts, who waits. */
export function ConsequenceList({ would, quiet = words.quiet }: { would: readonly Event[]; quiet?: string }) {
    const all = consequences(would);
    const isQuiet = GROUPS.every(group => all[group].length === 0);
    return (
        <div className={styles.list}>
            {isQuiet && <Text size="sm">{quiet}</Text>}
            {GROUPS.map(group => (
                <Group key={group} group={group} all={all} />
            ))}
            {all.other.length > 0 && (
                <section className={styles.group} data-group="other">
                    <h3>{words.other}</h3>
                    <ul>
                        {all.other.map((one, index) => (
                            <li key={index}>
                                <strong>{one.quota ?? one.node ?? one.workload}</strong> {one.event}{' '}
                                {figures(one)}
                            </li>
                        ))}
                    </ul>
                </section>
            )}
        </div>
    );
}

function Group({ group, all }: { group: (typeof GROUPS)[number]; all: Consequences }) {
    const events = all[group];
    if (events.length === 0) return null;
    return (
        <section className={styles.group} data-group={group}>
            <h3>{words[group](events.length)}</h3>
            <ul>
                {events.map((one, index) => (
                    <li key={index}>
                        <strong>{one.workload}</strong>
                        <span className={styles.why}>{because(one)}</span>
                    </li>
                ))}
            </ul>
        </section>
    );
}

function because(one: Consequence): string {
    const parts = [
        one.by === undefined ? undefined : words.by(one.by),
        one.rule === undefined ? undefined : words.rule(one.rule),
        one.replicas === undefined ? undefined : words.replicas(one.replicas),
        one.why,
        one.reasons?.[0],
    ];
    return parts.filter(part => part !== undefined).join(' · ');
}

/** `48 → 56`, where an event says from and to. */
function figures(one: Consequence): string {
    const { from, to, by } = one as { from?: unknown; to?: unknown; by?: unknown };
    if (from !== undefined && to !== undefined) return `${shown(from)} → ${shown(to)}`;
    return by === undefined ? '' : shown(by);
}

function shown(value: unknown): string {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
