import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../../texts';

interface Props {
    opened: boolean;
    title: string;
    label: string;
    value: number;
    max: number;
    onClose(): void;
    onValue(value: number): void;
}

/** Asks for a figure; what it would do is shown next. */
export function NumberDialog({ opened, title, label, value, max, onClose, onValue }: Props) {
    const [typed, setTyped] = useState<number | string>(value);
    const next = Number(typed);
    const isSound = typed !== '' && Number.isInteger(next) && next >= 1 && next <= max;
    return (
        <Modal opened={opened} onClose={onClose} title={title} size="sm">
            <form
                onSubmit={event => {
                    event.preventDefault();
                    if (isSound && next !== value) onValue(next);
                }}
            >
                <Stack gap="md">
                    <NumberInput
                        data-autofocus
                        label={label}
                        min={1}
                        max={max}
                        allowDecimal={false}
                        value={typed}
                        onChange={setTyped}
                    />
                    <Group justify="flex-end">
                        <Button variant="default" onClick={onClose}>
                            {text.common.cancel}
                        </Button>
                        <Button type="submit" disabled={!isSound || next === value}>
                            {text.workloads.actions.next}
                        </Button>
                    </Group>
                </Stack>
            </form>
        </Modal>
    );
}
