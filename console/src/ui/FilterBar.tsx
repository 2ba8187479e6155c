import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { text } from '../texts';
import styles from './FilterBar.module.css';
import { Icon } from './icons';

const words = text.common.filters;

interface Props {
    children: ReactNode;
    /** Given, something is narrowed, and this shows all again. */
    onClear?(): void;
}

/** What a list is narrowed to. */
export function FilterBar({ children, onClear }: Props) {
    return (
        <div className={styles.filters} role="search" aria-label={words.label}>
            {children}
            {onClear && (
                <Button variant="subtle" onClick={onClear}>
                    {words.clear}
                </Button>
            )}
        </div>
    );
}

/** A text to look for. Typing is not slowed down by what it asks for. */
export function FindInput(props: {
    label: string;
    value: string | undefined;
    onValue(value: string | undefined): void;
}) {
    const value = props.value ?? '';
    const [typed, setTyped] = useState(value);
    const tell = useDebouncedCallback((next: string) => props.onValue(next === '' ? undefined : next), 200);
    useEffect(() => setTyped(value), [value]);
    return (
        <TextInput
            aria-label={props.label}
            placeholder={props.label}
            leftSection={<Icon name="search" size={16} />}
            value={typed}
            onChange={event => {
                setTyped(event.currentTarget.value);
                tell(event.currentTarget.value.trim());
            }}
        />
    );
}

/** Options of a choice, by their labels. */
export const optionsOf = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
