import { Checkbox, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { userChanges, type Invitation } from '../../../api/queries/people';
import { session } from '../../../api/queries/session';
import { workspaceChanges, workspaces } from '../../../api/queries/workspaces';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';

const words = text.administration.user.form;

interface Props {
    opened: boolean;
    /** The workspace that is chosen already. */
    room?: string;
    onClose(): void;
    /** The user is there, and this is the link for them. */
    onInvited(invitation: Invitation): void;
}

/** Somebody new: a name, a room, a role, and the link that lets them in. */
export function NewUserDialog({ opened, room: preset, onClose, onInvited }: Props) {
    const client = useQueryClient();
    const rooms = useQuery({ ...workspaces.list(), enabled: opened });
    const roles = useQuery({ ...session.roles(), enabled: opened });
    const [name, setName] = useState('');
    const [room, setRoom] = useState<string | null>(null);
    const [role, setRole] = useState('developer');
    const [isAdmin, setAdmin] = useState(false);
    // Who is made stays made when a later step fails: the next try goes on from there.
    const made = useRef<string>(undefined);
    useEffect(() => {
        if (!opened) return;
        setName('');
        setRoom(preset ?? null);
        setRole('developer');
        setAdmin(false);
        made.current = undefined;
    }, [opened, preset]);

    const submit = async () => {
        if (made.current !== name) await userChanges.create(name, { platformAdmin: isAdmin });
        made.current = name;
        if (room !== null) await workspaceChanges.setMember(room, name, role, { dryRun: false });
        const invitation = await userChanges.invite(name);
        for (const key of ['users', 'workspaces', 'start'])
            void client.invalidateQueries({ queryKey: [key] });
        onInvited(invitation);
    };
    return (
        <FormDialog
            opened={opened}
            title={words.title}
            submit={words.submit}
            canSubmit={name !== ''}
            shown={['/metadata/name', '/role']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.name}
                        description={words.nameHint}
                        required
                        data-autofocus
                        value={name}
                        error={problem?.at('/metadata/name')}
                        onChange={event => setName(event.currentTarget.value.trim())}
                    />
                    <Select
                        label={words.room}
                        description={words.roomHint}
                        placeholder={words.noRoom}
                        clearable
                        searchable
                        data={rooms.data?.map(one => one.metadata.name) ?? []}
                        value={room}
                        onChange={setRoom}
                    />
                    {room !== null && (
                        <Select
                            label={words.role}
                            allowDeselect={false}
                            data={roles.data?.items.map(one => one.name) ?? []}
                            value={role}
                            error={problem?.at('/role')}
                            onChange={value => setRole(value ?? 'developer')}
                        />
                    )}
                    <Checkbox
                        label={words.admin}
                        description={words.adminHint}
                        checked={isAdmin}
                        onChange={event => setAdmin(event.currentTarget.checked)}
                    />
                </>
            )}
        </FormDialog>
    );
}
