import { Autocomplete, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { users } from '../../../api/queries/people';
import { workspaceChanges } from '../../../api/queries/workspaces';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';

const words = text.center.member;

interface Props {
    room: string;
    /** Roles that one may give. */
    roles: readonly string[];
    opened: boolean;
    onClose(): void;
}

/** Somebody who is known already comes into the room. Who may see all users chooses, everybody else types the name. */
export function AddMemberDialog({ room, roles, opened, onClose }: Props) {
    const client = useQueryClient();
    const session = useSession();
    const everybody = useQuery({ ...users.list(), enabled: opened && session.may('user:read') });
    const [name, setName] = useState('');
    const [role, setRole] = useState('developer');
    useEffect(() => {
        if (!opened) return;
        setName('');
        setRole('developer');
    }, [opened]);
    const submit = async () => {
        await workspaceChanges.setMember(room, name, role, { dryRun: false });
        for (const key of ['workspaces', 'users', 'session', 'start'])
            void client.invalidateQueries({ queryKey: [key] });
    };
    const outside = everybody.data?.filter(
        one =>
            one.status.serviceAccountOf == null &&
            !one.status.workspaces.some(membership => membership.workspace === room),
    );
    return (
        <FormDialog
            opened={opened}
            title={words.add}
            submit={words.add}
            canSubmit={name !== ''}
            shown={['/role']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    {outside ? (
                        <Autocomplete
                            label={words.find}
                            description={words.findHint}
                            required
                            data-autofocus
                            data={outside.map(one => one.metadata.name)}
                            value={name}
                            onChange={value => setName(value.trim())}
                        />
                    ) : (
                        <TextInput
                            label={words.find}
                            description={words.findHint}
                            required
                            data-autofocus
                            value={name}
                            onChange={event => setName(event.currentTarget.value.trim())}
                        />
                    )}
                    <Select
                        label={words.role}
                        allowDeselect={false}
                        data={[...roles]}
                        value={role}
                        error={problem?.at('/role')}
                        onChange={value => setRole(value ?? 'developer')}
                    />
                </>
            )}
        </FormDialog>
    );
}
