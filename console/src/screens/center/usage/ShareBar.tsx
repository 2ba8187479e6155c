import { figure } from '../../../ui/amounts';
import styles from './ShareBar.module.css';

/** GPUs in use, solid; what is asked for, as a ghost behind. The figure stands beside. */
export function ShareBar({ drawn, requested, most }: { drawn: number; requested: number; most: number }) {
    const width = (value: number) => `${(100 * Math.max(0, value)) / most}%`;
    return (
        <span className={styles.share}>
            <span className={styles.track} aria-hidden="true">
                <span className={styles.requested} style={{ width: width(requested) }} />
                <span className={styles.drawn} style={{ width: width(drawn) }} />
            </span>
            <span className={styles.figure}>{figure(drawn)}</span>
        </span>
    );
}
