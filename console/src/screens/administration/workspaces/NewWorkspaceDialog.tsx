import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { workspaceChanges } from '../../../api/queries/workspaces';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';

const words = text.administration.workspace.form;

/** A new room, with the quotas that it may use from the start. */
export function NewWorkspaceDialog({ opened, onClose }: { opened: boolean; onClose(): void }) {
    const client = useQueryClient();
    const names = useQuotaNames();
    const [name, setName] = useState('');
    const [description, setDescription] = useState('');
    const [quotas, setQuotas] = useState<string[]>([]);
    const [first, setFirst] = useState<string | null>(null);
    useEffect(() => {
        if (!opened) return;
        setName('');
        setDescription('');
        setQuotas([]);
        setFirst(null);
    }, [opened]);
    const submit = async () => {
        const defaultQuota = first !== null && quotas.includes(first) ? first : undefined;
        const spec = { description: description || undefined, quotas, defaultQuota };
        await workspaceChanges.create(name, spec, { dryRun: false });
        for (const key of ['workspaces', 'quotas', 'start'])
            void client.invalidateQueries({ queryKey: [key] });
    };
    return (
        <FormDialog
            opened={opened}
            title={words.title}
            submit={words.submit}
            canSubmit={name !== ''}
            shown={['/metadata/name', '/spec/quotas', '/spec/defaultQuota', '/spec/description']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.name}
                        required
                        data-autofocus
                        value={name}
                        error={problem?.at('/metadata/name')}
                        onChange={event => setName(event.currentTarget.value.trim())}
                    />
                    <TextInput
                        label={words.description}
                        value={description}
                        error={problem?.at('/spec/description')}
                        onChange={event => setDescription(event.currentTarget.value)}
                    />
                    <MultiSelect
                        label={words.quotas}
                        description={words.quotasHint}
                        searchable
                        data={names ?? []}
                        value={quotas}
                        error={problem?.at('/spec/quotas')}
                        onChange={setQuotas}
                    />
                    {quotas.length > 1 && (
                        <Select
                            label={words.defaultQuota}
                            description={words.defaultHint}
                            placeholder={words.noDefault}
                            clearable
                            data={quotas}
                            value={first}
                            error={problem?.at('/spec/defaultQuota')}
                            onChange={setFirst}
                        />
                    )}
                </>
            )}
        </FormDialog>
    );
}
