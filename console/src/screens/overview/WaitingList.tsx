import { Text } from '@mantine/core';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { PathLink, pathOf } from '../../ui/PathLink';
import { RelativeTime } from '../../ui/RelativeTime';
import type { Waiting } from './waiting';
import styles from './WaitingList.module.css';

const words = text.overview.waiting;
/** So many of each are named: who has waited longest. */
const NAMED = 3;

/** Who waits, by the nearest reason. */
export function WaitingList({ waiting }: { waiting: readonly Waiting[] }) {
    if (waiting.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {words.none}
            </Text>
        );
    }
    const most = Math.max(...waiting.map(group => group.gpu), 1);
    return (
        <ul className={styles.groups}>
            {waiting.map(group => (
                <li key={group.code} data-code={group.code}>
                    <div className={styles.head}>
                        <strong>{words.reason[group.code] ?? words.reason.other}</strong>
                        <span>{words.count(figure(group.works.length), figure(group.gpu))}</span>
                    </div>
                    <div className={styles.bar} aria-hidden="true">
                        <span style={{ width: `${(100 * group.gpu) / most}%` }} />
                    </div>
                    <ul className={styles.works}>
                        {group.works.slice(0, NAMED).map(work => (
                            <li key={work.uid}>
                                <PathLink path={pathOf.workload(work.uid)}>{work.name}</PathLink>
                                <span className={styles.why} title={work.reason?.text}>
                                    {work.reason?.text}
                                </span>
                                <RelativeTime at={work.enqueuedAt} />
                            </li>
                        ))}
                        {group.works.length > NAMED && (
                            <li>{words.more(figure(group.works.length - NAMED))}</li>
                        )}
                    </ul>
                </li>
            ))}
        </ul>
    );
}
