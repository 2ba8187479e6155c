import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

interface Props {
    label: string;
    value?: string;
    width?: number;
    onDone(value: string | undefined): void;
}

/** A name is asked for when it is typed to its end, not at each letter. */
export function TypedInput({ label, value: given, width = 100, onDone }: Props) {
    const [value, setValue] = useState(given ?? '');
    useEffect(() => setValue(given ?? ''), [given]);
    const done = () => {
        if (value.trim() !== (given ?? '')) onDone(value.trim() || undefined);
    };
    return (
        <TextInput
            label={label}
            w={width}
            value={value}
            onChange={event => setValue(event.currentTarget.value)}
            onBlur={done}
            onKeyDown={event => event.key === 'Enter' && done()}
        />
    );
}
