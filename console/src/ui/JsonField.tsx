import { Textarea, type TextareaProps } from '@mantine/core';
import { useState } from 'react';
import { text } from '../texts';

interface Props extends Omit<TextareaProps, 'value' | 'onChange'> {
    value: unknown;
    /** What is typed, once it is JSON; `undefined`: nothing is. */
    onValue(value: unknown): void;
    /** Whether what is typed now is no JSON. */
    onBroken?(isBroken: boolean): void;
}

/** JSON as it is typed. As long as it is none, the last that was stays. */
export function JsonField({ value, onValue, onBroken, error, ...others }: Props) {
    const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
    const [isWrong, setWrong] = useState(false);
    const mark = (now: boolean) => {
        if (now !== isWrong) onBroken?.(now);
        setWrong(now);
    };
    return (
        <Textarea
            rows={Math.min(12, Math.max(3, typed.split('\n').length))}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...others}
            error={isWrong ? text.tasks.form.notJson : error}
            value={typed}
            onChange={event => {
                const next = event.currentTarget.value;
                setTyped(next);
                try {
                    onValue(next.trim() === '' ? undefined : JSON.parse(next));
                    mark(false);
                } catch {
                    mark(true);
                }
            }}
        />
    );
}
