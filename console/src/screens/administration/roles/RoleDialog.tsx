import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Schema } from '../../../api/client';
import { roleChanges, type Role } from '../../../api/queries/people';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';
import { ActionChoice } from '../ActionChoice';

const words = text.administration.role;

interface Props {
    /** `undefined`: closed. */
    role: Role | 'new' | undefined;
    actions: readonly Schema<'ActionHelp'>[];
    onClose(): void;
}

/** A role as a set of actions. */
export function RoleDialog({ role, actions, onClose }: Props) {
    const client = useQueryClient();
    const before = role === 'new' ? undefined : role;
    const [name, setName] = useState('');
    const [chosen, setChosen] = useState<string[]>([]);
    useEffect(() => {
        setName(before?.name ?? '');
        setChosen(before?.actions ?? ['workspace:read', 'workload:read']);
    }, [role]);
    const submit = async () => {
        const body = { name, actions: chosen };
        await (before ? roleChanges.set(name, body) : roleChanges.create(body));
        await client.invalidateQueries({ queryKey: ['roles'] });
    };
    return (
        <FormDialog
            opened={role !== undefined}
            title={before ? words.edit(before.name) : words.create}
            submit={words.form.submit}
            canSubmit={name !== '' && chosen.length > 0}
            shown={['/name', '/actions']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.form.name}
                        required
                        disabled={before !== undefined}
                        data-autofocus
                        value={name}
                        error={problem?.at('/name')}
                        onChange={event => setName(event.currentTarget.value.trim())}
                    />
                    <ActionChoice
                        label={words.form.actions}
                        actions={actions}
                        chosen={chosen}
                        error={problem?.at('/actions') ?? (chosen.length === 0 ? words.form.none : undefined)}
                        onChange={setChosen}
                    />
                </>
            )}
        </FormDialog>
    );
}
