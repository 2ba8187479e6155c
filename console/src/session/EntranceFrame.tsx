import { Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../texts';
import styles from './EntranceFrame.module.css';

/** The frame of pages before one is known. */
export function EntranceFrame({ title, children }: { title: string; children: ReactNode }) {
    return (
        <main className={styles.page}>
            <Paper className={styles.card} withBorder shadow="sm" p="xl" radius="md">
                <div className={styles.brand}>
                    <img src="/icon.svg" alt="" width={32} height={32} />
                    <Text fw={700} size="lg" component="span">
                        {text.shell.product}
                    </Text>
                </div>
                <Title order={1} size="h3" mb="md">
                    {title}
                </Title>
                {children}
            </Paper>
        </main>
    );
}
