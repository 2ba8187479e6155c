import type { Schema } from '../api/client';
import { text } from '../texts';
import styles from './Reason.module.css';

type ReasonValue = Schema<'Reason'>;

/** The nearest reason, for a row of a table. All of them on hover. */
export function ReasonLine({ reasons }: { reasons: readonly ReasonValue[] | null | undefined }) {
    const first = reasons?.[0];
    if (!first) return null;
    return (
        <span className={styles.line} title={reasons?.map(one => one.text).join('\n')}>
            {first.text}
        </span>
    );
}

/** All reasons: the first says it, the others are what was considered; the last how it ends. */
export function ReasonTree({ reasons }: { reasons: readonly ReasonValue[] }) {
    const [first, ...others] = reasons;
    if (!first) return null;
    return (
        <div className={styles.tree}>
            <p className={styles.first}>{first.text}</p>
            <ul aria-label={text.common.explain.why}>
                {others.map((one, index) => (
                    <li
                        key={index}
                        data-code={one.code}
                        className={one.code === 'unblock' ? styles.unblock : undefined}
                    >
                        {one.text}
                    </li>
                ))}
            </ul>
        </div>
    );
}
