import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { text } from '../../../texts';

const words = text.center.rules.leave;

/** Asks before what was typed is lost. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
    const { status, proceed, reset } = useBlocker({
        shouldBlockFn: () => isDirty,
        enableBeforeUnload: () => isDirty,
        withResolver: true,
    });
    return (
        <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={words.title} size="md">
            <Stack gap="md">
                <Text size="sm">{words.about}</Text>
                <Group justify="flex-end">
                    <Button variant="default" onClick={() => reset?.()}>
                        {text.common.cancel}
                    </Button>
                    <Button color="coral" onClick={() => proceed?.()}>
                        {words.go}
                    </Button>
                </Group>
            </Stack>
        </Modal>
    );
}
