import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Problem } from '../api/problem';
import { text } from '../texts';
import { ProblemAlert } from './ProblemAlert';

interface Props {
    opened: boolean;
    title: string;
    submit: string;
    canSubmit?: boolean;
    size?: string;
    /** JSON pointers of fields that show their own part of a problem. */
    shown?: readonly string[];
    onClose(): void;
    /** Done when it returns, and the dialog closes; what it throws is shown here. */
    onSubmit(): Promise<unknown>;
    children(problem: Problem | undefined): ReactNode;
}

/** A form for something that changes nothing for anybody else, so that there is nothing to preview. */
export function FormDialog(props: Props) {
    const {
        opened,
        title,
        submit,
        canSubmit = true,
        size = 'md',
        shown,
        onClose,
        onSubmit,
        children,
    } = props;
    const [problem, setProblem] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const close = () => {
        setProblem(undefined);
        onClose();
    };
    const go = async (event: FormEvent) => {
        event.preventDefault();
        if (!canSubmit || isBusy) return;
        setBusy(true);
        setProblem(undefined);
        try {
            await onSubmit();
            close();
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    return (
        <Modal opened={opened} onClose={close} title={title} size={size}>
            <form onSubmit={event => void go(event)} noValidate>
                <Stack gap="sm">
                    {children(problem)}
                    <ProblemAlert problem={problem} shown={shown} />
                    <Group justify="flex-end" mt="xs">
                        <Button variant="default" onClick={close}>
                            {text.common.cancel}
                        </Button>
                        <Button type="submit" loading={isBusy} disabled={!canSubmit}>
                            {submit}
                        </Button>
                    </Group>
                </Stack>
            </form>
        </Modal>
    );
}
