import type { ReactNode } from 'react';
import styles from './ScrollX.module.css';

/** For what may be wider than the screen: it scrolls by itself, by keyboard, too. */
export function ScrollX({ label, children }: { label: string; children: ReactNode }) {
    return (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
            {children}
        </div>
    );
}
