import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import type { Schema } from '../../api/client';
import { nodeChanges } from '../../api/queries/supply';
import type { Asked } from '../../api/queries/quotas';
import { text } from '../../texts';
import { PreviewDialog, type PlannedChange } from '../../ui/PreviewDialog';

const words = text.nodes.actions;
type Module = Schema<'Module'>;
const MODULES: readonly Module[] = ['training', 'notebook', 'service', 'task'];

/** Something that is to be done to a node, or to one GPU of it. */
export type NodeChange =
    { kind: 'cordon' | 'uncordon' | 'drain' | 'remove' } | { kind: 'quarantine' | 'restore'; device: number };

interface Props {
    node: string;
    /** `undefined`: closed. */
    change: NodeChange | undefined;
    onClose(): void;
    onRemoved(): void;
}

/** Asks why, shows who would have to leave, and does it. */
export function NodeChangeDialog(props: Props) {
    // Each change begins with empty fields.
    return <Dialog key={JSON.stringify(props.change)} {...props} />;
}

function Dialog({ node, change, onClose, onRemoved }: Props) {
    const [reason, setReason] = useState('');
    const [modules, setModules] = useState<readonly Module[]>(MODULES);
    const [problem, setProblem] = useState<string>();
    // The reason changes nothing of what happens: typing it asks for no new preview.
    const written = useRef(reason);
    written.current = reason.trim();

    const planned = useMemo<PlannedChange | undefined>(() => {
        if (!change || modules.length === 0) return undefined;
        return {
            title: titleOf(node, change),
            confirm: words[change.kind],
            moves: ['nodes', 'pools', 'workloads', 'quotas'],
            send: asked => send(node, change, written.current, modules, asked),
        };
    }, [node, change, modules]);
    if (!change) return null;

    const asksReason = ['cordon', 'drain', 'quarantine'].includes(change.kind);
    const needsReason = change.kind === 'quarantine' && reason.trim() === '';
    return (
        <PreviewDialog
            change={
                planned ?? {
                    title: titleOf(node, change),
                    confirm: words[change.kind],
                    moves: [],
                    send: never,
                }
            }
            missing={modules.length === 0 ? words.chooseModule : needsReason ? words.reasonNeeded : undefined}
            onClose={onClose}
            onProblem={found => setProblem(found.at('/reason'))}
            onDone={() => {
                if (change.kind === 'remove') onRemoved();
            }}
        >
            <Stack gap="sm">
                <Text size="sm">{words.about[change.kind]}</Text>
                {asksReason && (
                    <TextInput
                        label={words.reason}
                        description={words.reasonHint}
                        value={reason}
                        required={change.kind === 'quarantine'}
                        error={problem}
                        maxLength={253}
                        data-autofocus
                        onChange={event => setReason(event.currentTarget.value)}
                    />
                )}
                {change.kind === 'drain' && (
                    <Checkbox.Group
                        label={words.modules}
                        description={words.modulesHint}
                        error={modules.length === 0 ? words.chooseModule : undefined}
                        value={[...modules]}
                        onChange={chosen => setModules(MODULES.filter(module => chosen.includes(module)))}
                    >
                        <Group gap="md" mt={6}>
                            {MODULES.map(module => (
                                <Checkbox
                                    key={module}
                                    size="xs"
                                    value={module}
                                    label={words.module[module]}
                                />
                            ))}
                        </Group>
                    </Checkbox.Group>
                )}
            </Stack>
        </PreviewDialog>
    );
}

/** Nothing is asked while a field is missing. */
const never = () => new Promise<never>(() => undefined);

function titleOf(node: string, change: NodeChange): string {
    return 'device' in change
        ? words.title[change.kind](node, change.device)
        : words.title[change.kind](node);
}

function send(
    node: string,
    change: NodeChange,
    reason: string,
    modules: readonly Module[],
    asked: Asked,
): Promise<unknown> {
    const why = reason === '' ? undefined : reason;
    switch (change.kind) {
        case 'cordon':
            return nodeChanges.cordon(node, { reason: why }, asked);
        case 'uncordon':
            return nodeChanges.uncordon(node, asked);
        case 'drain': {
            const some = modules.length < MODULES.length ? [...modules] : undefined;
            return nodeChanges.drain(node, { reason: why, modules: some }, asked);
        }
        case 'quarantine':
            // A preview keeps nothing: it may be asked for before there is a reason.
            return nodeChanges.quarantine(node, { device: change.device, reason: why ?? '?' }, asked);
        case 'restore':
            return nodeChanges.restore(node, { device: change.device }, asked);
        case 'remove':
            return nodeChanges.remove(node, asked);
    }
}
