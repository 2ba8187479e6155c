import { ActionIcon, Button, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../../texts';
import { Icon } from '../../../ui/icons';
import styles from './Rules.module.css';

interface Props<Line> {
    /** What they are together. */
    label: string;
    lines: readonly Line[];
    add: string;
    onAdd(): void;
    onRemove(index: number): void;
    children(line: Line, index: number): ReactNode;
}

/** Lines of fields that can be added and removed. */
export function Lines<Line>({ label, lines, add, onAdd, onRemove, children }: Props<Line>) {
    return (
        <div className={styles.lines} role="group" aria-label={label}>
            {lines.map((line, index) => (
                <div
                    key={index}
                    className={styles.line}
                    role="group"
                    aria-label={`${label} ${index + 1}`}
                    data-first={index === 0 || undefined}
                >
                    {children(line, index)}
                    <Tooltip label={text.center.rules.remove}>
                        <ActionIcon
                            variant="subtle"
                            color="gray"
                            className={styles.remove}
                            aria-label={text.center.rules.remove}
                            onClick={() => onRemove(index)}
                        >
                            <Icon name="close" size={16} />
                        </ActionIcon>
                    </Tooltip>
                </div>
            ))}
            <div>
                <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
                    {add}
                </Button>
            </div>
        </div>
    );
}
