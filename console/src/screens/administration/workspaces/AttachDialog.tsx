import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Workspace } from '../../../api/queries/workspaces';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';

const words = text.administration.workspace;

interface Props {
    workspace?: Workspace;
    onClose(): void;
    onChosen(workspace: string, quota: string): void;
}

/** Chooses one more quota; what attaching it would do is previewed next. */
export function AttachDialog({ workspace, onClose, onChosen }: Props) {
    const names = useQuotaNames();
    const [quota, setQuota] = useState<string | null>(null);
    useEffect(() => setQuota(null), [workspace]);
    const free = names?.filter(name => !workspace?.spec.quotas?.includes(name)) ?? [];
    const go = () => {
        if (!workspace || quota === null) return;
        onClose();
        onChosen(workspace.metadata.name, quota);
    };
    return (
        <Modal
            opened={workspace !== undefined}
            onClose={onClose}
            title={words.change.attach(workspace?.metadata.name ?? '')}
            size="md"
        >
            <Stack gap="sm">
                <Select
                    label={words.form.quota}
                    searchable
                    data-autofocus
                    data={free}
                    value={quota}
                    onChange={setQuota}
                />
                <Group justify="flex-end">
                    <Button variant="default" onClick={onClose}>
                        {text.common.cancel}
                    </Button>
                    <Button disabled={quota === null} onClick={go}>
                        {words.attach}
                    </Button>
                </Group>
            </Stack>
        </Modal>
    );
}
