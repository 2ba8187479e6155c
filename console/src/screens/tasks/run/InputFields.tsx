import { Text } from '@mantine/core';
import { InputField } from './InputField';
import styles from './InputFields.module.css';
import { pointerTo, withValue, type Property } from './schema';

interface Props {
    /** What they are together, where they are a part of others. */
    legend?: string;
    about?: string;
    properties: readonly Property[];
    /** What is given so far: an object, or nothing. */
    values: unknown;
    pointer: string;
    wrong(pointer: string): string | undefined;
    onValues(values: Record<string, unknown>): void;
}

/** A form that a schema describes. */
export function InputFields({ legend, about, properties, values, pointer, wrong, onValues }: Props) {
    const given = (
        typeof values === 'object' && values !== null && !Array.isArray(values) ? values : {}
    ) as Record<string, unknown>;
    const fields = properties.map(property => (
        <InputField
            key={property.name}
            property={property}
            value={given[property.name]}
            pointer={pointerTo(pointer, property.name)}
            wrong={wrong}
            onValue={value => onValues(withValue(given, property.name, value))}
        />
    ));
    if (legend === undefined) return <div className={styles.fields}>{fields}</div>;
    return (
        <fieldset className={styles.group}>
            <legend>{legend}</legend>
            {about !== undefined && (
                <Text size="sm" c="dimmed" mb="xs">
                    {about}
                </Text>
            )}
            <div className={styles.fields}>{fields}</div>
        </fieldset>
    );
}
