import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../texts';
import { Icon } from './icons';

interface Props {
    /** `undefined`: closed. */
    secret: string | undefined;
    title: string;
    /** The name of the field. */
    label: string;
    /** What to do with it. */
    children: ReactNode;
    onClose(): void;
}

/** A secret that is shown once: it can be copied, and then it is gone. Only its button closes the dialog. */
export function SecretDialog({ secret, title, label, children, onClose }: Props) {
    return (
        <Modal
            opened={secret !== undefined}
            onClose={onClose}
            title={title}
            closeOnClickOutside={false}
            closeOnEscape={false}
            withCloseButton={false}
        >
            <Stack gap="md" data-testid="secret">
                <Text size="sm" component="div">
                    {children}
                </Text>
                <Group align="end" wrap="nowrap" gap="xs">
                    <TextInput
                        flex={1}
                        label={label}
                        value={secret ?? ''}
                        readOnly
                        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                        data-autofocus
                        onFocus={event => event.currentTarget.select()}
                    />
                    <CopyButton value={secret ?? ''}>
                        {({ copied, copy }) => (
                            <Button size="sm" variant="default" onClick={copy}>
                                {copied ? text.common.copied : text.common.copy}
                            </Button>
                        )}
                    </CopyButton>
                </Group>
                <Alert color="sand" icon={<Icon name="warning" />}>
                    {text.common.once}
                </Alert>
                <Group justify="flex-end">
                    <Button onClick={onClose}>{text.common.kept}</Button>
                </Group>
            </Stack>
        </Modal>
    );
}
