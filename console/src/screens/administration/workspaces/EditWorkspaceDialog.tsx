import { Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { workspaceChanges, type Workspace } from '../../../api/queries/workspaces';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';

const words = text.administration.workspace;

/** What a room says of itself, and where its work goes that names no quota. */
export function EditWorkspaceDialog({ workspace, onClose }: { workspace?: Workspace; onClose(): void }) {
    const client = useQueryClient();
    const names = useQuotaNames();
    const [description, setDescription] = useState('');
    const [first, setFirst] = useState<string | null>(null);
    useEffect(() => {
        setDescription(workspace?.spec.description ?? '');
        setFirst(workspace?.spec.defaultQuota ?? null);
    }, [workspace]);
    const submit = async () => {
        if (!workspace) return;
        const { quotas } = workspace.spec;
        const spec = { quotas, description, defaultQuota: first ?? undefined };
        await workspaceChanges.set(workspace.metadata.name, spec, { dryRun: false });
        await client.invalidateQueries({ queryKey: ['workspaces'] });
    };
    const choices = workspace?.status.allQuotas ? names : workspace?.spec.quotas;
    return (
        <FormDialog
            opened={workspace !== undefined}
            title={words.change.edit(workspace?.metadata.name ?? '')}
            submit={text.common.save}
            shown={['/spec/description', '/spec/defaultQuota']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.form.description}
                        data-autofocus
                        value={description}
                        error={problem?.at('/spec/description')}
                        onChange={event => setDescription(event.currentTarget.value)}
                    />
                    <Select
                        label={words.form.defaultQuota}
                        description={words.form.defaultHint}
                        placeholder={words.form.noDefault}
                        clearable
                        data={choices ?? []}
                        value={first}
                        error={problem?.at('/spec/defaultQuota')}
                        onChange={setFirst}
                    />
                </>
            )}
        </FormDialog>
    );
}
