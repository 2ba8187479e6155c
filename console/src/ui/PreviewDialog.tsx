import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { DryRun } from '../api/client';
import { Problem } from '../api/problem';
import type { Asked } from '../api/queries/quotas';
import { text } from '../texts';
import { ConsequenceList } from './ConsequenceList';
import { DisabledReason } from './DisabledReason';
import { ProblemAlert } from './ProblemAlert';

const words = text.common.preview;

/** A change, ready to be asked for: first what it would do, then to do it. */
export interface PlannedChange {
    title: string;
    /** The words on the button that does it. */
    confirm: string;
    /** What it means, where the events alone do not say it. */
    about?: ReactNode;
    /** What is said instead of that nothing happens to anybody, where the events are not all of it. */
    quiet?: string;
    send(asked: Asked): Promise<unknown>;
    /** First parts of the keys of queries that it makes old. */
    moves: readonly string[];
}

interface Props {
    /** `undefined`: closed. */
    change: PlannedChange | undefined;
    /** Fields that go along with the change, above what it would do. */
    children?: ReactNode;
    /** What has to be filled in before it can be applied. */
    missing?: string;
    onClose(): void;
    /** It is done; `answer` is what the server said. */
    onDone?(answer: unknown): void;
    /** Fields that show their own part of a problem; given, a problem with one of them is handed back to the form. */
    onProblem?(problem: Problem): void;
    /** Shown when somebody else was faster (412). */
    conflict?: ReactNode;
}

type Asking = { would?: DryRun; problem?: Problem; isBusy: boolean };

/** Every change passes here: who is evicted and why, who starts, who waits; and only then it is applied. */
export function PreviewDialog({ change, children, missing, onClose, onDone, onProblem, conflict }: Props) {
    const client = useQueryClient();
    const [asking, setAsking] = useState<Asking>({ isBusy: true });
    const turn = useRef(0);

    const send = useCallback(
        async (asked: Asked) => {
            if (!change) return;
            const mine = ++turn.current;
            setAsking(before => ({ ...before, problem: undefined, isBusy: true }));
            try {
                const answer = await change.send(asked);
                if (mine !== turn.current) return;
                if (asked.dryRun) return setAsking({ would: answer as DryRun, isBusy: false });
                const isMoved = (key: readonly unknown[]) => change.moves.includes(String(key[0]));
                void client.invalidateQueries({ predicate: query => isMoved(query.queryKey) });
                onDone?.(answer);
                onClose();
            } catch (thrown) {
                if (mine !== turn.current) return;
                const problem = Problem.from(thrown);
                onProblem?.(problem);
                setAsking(before => ({ ...before, problem, isBusy: false }));
            }
        },
        // The other functions may be new at every render; the change is what it is about.
        [change, client],
    );
    useEffect(() => {
        setAsking({ isBusy: true });
        void send({ dryRun: true });
    }, [send]);

    const { would, problem, isBusy } = asking;
    const isStale = problem?.isStale === true && conflict !== undefined;
    return (
        <Modal
            opened={change !== undefined}
            onClose={onClose}
            title={isStale ? text.common.conflict.title : change?.title}
        >
            {isStale ? (
                conflict
            ) : (
                <Stack gap="md" data-testid="preview">
                    {children}
                    {change?.about !== undefined && (
                        <Text size="sm" component="div">
                            {change.about}
                        </Text>
                    )}
                    {isBusy && !would && (
                        <Group gap="xs" role="status">
                            <Loader size="xs" />
                            <Text size="sm">{words.asking}</Text>
                        </Group>
                    )}
                    {would && <ConsequenceList would={would.would} quiet={change?.quiet} />}
                    <ProblemAlert problem={problem} />
                    <Group justify="flex-end">
                        <Button variant="default" onClick={onClose}>
                            {text.common.cancel}
                        </Button>
                        {problem && (
                            <Button variant="default" onClick={() => void send({ dryRun: true })}>
                                {words.again}
                            </Button>
                        )}
                        <DisabledReason reason={missing}>
                            <Button
                                disabled={!would || problem !== undefined}
                                loading={isBusy && would !== undefined}
                                onClick={() => void send({ dryRun: false })}
                            >
                                {change?.confirm ?? text.common.apply}
                            </Button>
                        </DisabledReason>
                    </Group>
                </Stack>
            )}
        </Modal>
    );
}
