import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../../texts';
import { Icon } from '../../../ui/icons';
import { Section } from '../../../ui/Page';
import styles from './Rules.module.css';

interface Props<Line> {
    words: { title: string; about: string; add: string };
    lines: readonly Line[];
    /** What a line begins with. */
    fresh: Line;
    onChange(lines: Line[]): void;
    children(line: Line, index: number, change: (part: Partial<Line>) => void): ReactNode;
}

/** A part of the form whose lines can be added and removed. */
export function Lines<Line>({ words, lines, fresh, onChange, children }: Props<Line>) {
    const change = (index: number) => (part: Partial<Line>) =>
        onChange(lines.map((line, at) => (at === index ? { ...line, ...part } : line)));
    const remove = (index: number) => onChange(lines.filter((_, at) => at !== index));
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <div className={styles.lines} role="group" aria-label={words.title}>
                {lines.map((line, index) => (
                    <div
                        key={index}
                        className={styles.line}
                        role="group"
                        aria-label={`${words.title} ${index + 1}`}
                        data-first={index === 0 || undefined}
                    >
                        {children(line, index, change(index))}
                        <Tooltip label={text.center.rules.remove}>
                            <ActionIcon
                                variant="subtle"
                                color="gray"
                                className={styles.remove}
                                aria-label={text.center.rules.remove}
                                onClick={() => remove(index)}
                            >
                                <Icon name="close" size={16} />
                            </ActionIcon>
                        </Tooltip>
                    </div>
                ))}
                <div>
                    <Button
                        variant="default"
                        leftSection={<Icon name="plus" size={14} />}
                        onClick={() => onChange([...lines, fresh])}
                    >
                        {words.add}
                    </Button>
                </div>
            </div>
        </Section>
    );
}
