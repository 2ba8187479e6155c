import { Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { session } from '../../../api/queries/session';
import { workspaceChanges } from '../../../api/queries/workspaces';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';
import { useRooms } from '../rooms';

const words = text.administration.account;

/** An account for a program, in one room. */
export function NewAccountDialog(props: { opened: boolean; room?: string; onClose(): void }) {
    const { opened, room: preset, onClose } = props;
    const client = useQueryClient();
    const rooms = useRooms('member:update');
    const roles = useQuery(session.roles());
    const [name, setName] = useState('');
    const [room, setRoom] = useState<string | null>(null);
    const [role, setRole] = useState('developer');
    const [only] = rooms.length === 1 ? rooms : [];
    useEffect(() => {
        if (!opened) return;
        setName('');
        setRoom(preset ?? only ?? null);
        setRole('developer');
    }, [opened, preset, only]);
    const submit = async () => {
        if (room === null) return;
        await workspaceChanges.createAccount(room, { name, role });
        for (const key of ['users', 'workspaces']) void client.invalidateQueries({ queryKey: [key] });
    };
    return (
        <FormDialog
            opened={opened}
            title={words.create}
            submit={words.form.submit}
            canSubmit={name !== '' && room !== null}
            shown={['/name', '/role']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.form.name}
                        required
                        data-autofocus
                        value={name}
                        error={problem?.at('/name')}
                        onChange={event => setName(event.currentTarget.value.trim())}
                    />
                    <Select
                        label={words.form.room}
                        required
                        allowDeselect={false}
                        data={rooms}
                        value={room}
                        onChange={setRoom}
                    />
                    <Select
                        label={words.form.role}
                        allowDeselect={false}
                        data={roles.data?.items.map(one => one.name) ?? []}
                        value={role}
                        error={problem?.at('/role')}
                        onChange={value => setRole(value ?? 'developer')}
                    />
                </>
            )}
        </FormDialog>
    );
}
