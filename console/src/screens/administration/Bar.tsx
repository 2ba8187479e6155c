import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './Bar.module.css';

/** Above a table: what it is, how to narrow it, and what one can make. */
export function Bar({ about, children }: { about: string; children?: ReactNode }) {
    return (
        <div className={styles.bar}>
            <Text size="sm" c="dimmed" className={styles.about}>
                {about}
            </Text>
            <div className={styles.tools}>{children}</div>
        </div>
    );
}
