import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './EmptyState.module.css';

/** Nothing here yet: what this would be, and what to do to have it. */
export function EmptyState({
    title,
    children,
    action,
}: {
    title: string;
    children: ReactNode;
    action?: ReactNode;
}) {
    return (
        <div className={styles.empty}>
            <Title order={2} size="h4">
                {title}
            </Title>
            <Text size="sm" c="dimmed" maw={520}>
                {children}
            </Text>
            {action}
        </div>
    );
}
