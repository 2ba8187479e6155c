import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { Problem } from '../api/problem';
import { text } from '../texts';
import { ProblemAlert } from './ProblemAlert';

interface Props {
    opened: boolean;
    title: string;
    problem?: Problem;
    /** JSON pointers of the fields inside. */
    fields: readonly string[];
    onClose(): void;
    /** Ready to be previewed. */
    onSubmit(): void;
    children: ReactNode;
}

/** A form in a dialog. Its button leads to the preview. */
export function ChangeForm({ opened, title, problem, fields, onClose, onSubmit, children }: Props) {
    const submit = (event: FormEvent) => {
        event.preventDefault();
        onSubmit();
    };
    return (
        <Modal opened={opened} onClose={onClose} title={title}>
            <form onSubmit={submit}>
                <Stack gap="md">
                    {children}
                    <ProblemAlert problem={problem} shown={fields} />
                    <Group justify="flex-end">
                        <Button variant="default" onClick={onClose}>
                            {text.common.cancel}
                        </Button>
                        <Button type="submit">{text.quotas.preview}</Button>
                    </Group>
                </Stack>
            </form>
        </Modal>
    );
}
