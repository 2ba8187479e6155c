import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './Page.module.css';

interface PageProps {
    title: ReactNode;
    about?: ReactNode;
    /** Buttons at the right of the title. */
    actions?: ReactNode;
    children: ReactNode;
}

/** The frame of a screen: its title, what one can do, and what there is. */
export function Page({ title, about, actions, children }: PageProps) {
    return (
        <div className={styles.page}>
            <header className={styles.header}>
                <div>
                    <Title order={1} size="h2">
                        {title}
                    </Title>
                    {about !== undefined && (
                        <Text size="sm" c="dimmed" mt={2}>
                            {about}
                        </Text>
                    )}
                </div>
                {actions !== undefined && <div className={styles.actions}>{actions}</div>}
            </header>
            {children}
        </div>
    );
}

/** A part of a screen, on a surface of its own. */
export function Section({
    title,
    actions,
    children,
}: {
    title?: string;
    actions?: ReactNode;
    children: ReactNode;
}) {
    return (
        <section className={styles.section} aria-label={title}>
            {(title !== undefined || actions !== undefined) && (
                <div className={styles.sectionHeader}>
                    <Title order={2} size="h4">
                        {title}
                    </Title>
                    {actions}
                </div>
            )}
            {children}
        </section>
    );
}
