import { Checkbox, Stack } from '@mantine/core';
import type { Schema } from '../../api/client';

interface Props {
    label: string;
    actions: readonly Schema<'ActionHelp'>[];
    chosen: string[];
    error?: string;
    onChange(chosen: string[]): void;
}

/** Actions to choose from, each in words. */
export function ActionChoice({ label, actions, chosen, error, onChange }: Props) {
    return (
        <Checkbox.Group label={label} value={chosen} error={error} onChange={onChange}>
            <Stack gap={6} mt={4}>
                {actions.map(({ action, about }) => (
                    <Checkbox key={action} value={action} size="xs" label={action} description={about} />
                ))}
            </Stack>
        </Checkbox.Group>
    );
}
