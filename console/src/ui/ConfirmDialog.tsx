import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Problem } from '../api/problem';
import { text } from '../texts';
import { ProblemAlert } from './ProblemAlert';

interface Props {
    opened: boolean;
    title: string;
    children: ReactNode;
    confirm: string;
    isDangerous?: boolean;
    /** Asks for a reason, which goes along. */
    asksReason?: boolean;
    onClose(): void;
    /** Done when it returns; what it throws is shown here. */
    onConfirm(reason: string | undefined): Promise<unknown>;
}

/** For changes that the server cannot preview. Where it can, `PreviewDialog` stands instead. */
export function ConfirmDialog(props: Props) {
    const {
        opened,
        title,
        children,
        confirm,
        isDangerous = false,
        asksReason = false,
        onClose,
        onConfirm,
    } = props;
    const [reason, setReason] = useState('');
    const [problem, setProblem] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const close = () => {
        setProblem(undefined);
        setReason('');
        onClose();
    };
    const go = async () => {
        setBusy(true);
        setProblem(undefined);
        try {
            await onConfirm(reason === '' ? undefined : reason);
            close();
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    return (
        <Modal opened={opened} onClose={close} title={title} size="md">
            <Stack gap="md">
                <Text size="sm" component="div">
                    {children}
                </Text>
                {asksReason && (
                    <TextInput
                        label={text.common.reason}
                        description={text.common.preview.reasonHint}
                        value={reason}
                        error={problem?.at('/reason')}
                        onChange={event => setReason(event.currentTarget.value)}
                    />
                )}
                <ProblemAlert problem={problem} shown={['/reason']} />
                <Group justify="flex-end">
                    <Button variant="default" onClick={close}>
                        {text.common.cancel}
                    </Button>
                    <Button
                        color={isDangerous ? 'coral' : undefined}
                        loading={isBusy}
                        onClick={() => void go()}
                    >
                        {confirm}
                    </Button>
                </Group>
            </Stack>
        </Modal>
    );
}
