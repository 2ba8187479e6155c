import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { webhookChanges, type Notice, type Webhook } from '../../../api/queries/webhooks';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';

const words = text.administration.webhook;
const NOTICES = Object.keys(words.notices) as Notice[];

interface Props {
    /** `undefined`: closed. */
    webhook: Webhook | 'new' | undefined;
    rooms: readonly string[];
    onClose(): void;
    onMade(webhook: Webhook): void;
}

/** An address, and what it is told. */
export function WebhookDialog({ webhook, rooms, onClose, onMade }: Props) {
    const client = useQueryClient();
    const before = webhook === 'new' ? undefined : webhook;
    const [name, setName] = useState('');
    const [room, setRoom] = useState<string | null>(null);
    const [url, setUrl] = useState('');
    const [notices, setNotices] = useState<string[]>(NOTICES);
    useEffect(() => {
        setName(before?.name ?? '');
        setRoom(before?.workspace ?? (rooms.length === 1 ? (rooms[0] ?? null) : null));
        setUrl(before?.url ?? '');
        setNotices(before?.notices ?? NOTICES);
    }, [webhook]);
    const submit = async () => {
        if (room === null) return;
        const made = await webhookChanges.set(room, name, { url, notices: notices as Notice[] });
        void client.invalidateQueries({ queryKey: ['webhooks'] });
        onMade(made);
    };
    return (
        <FormDialog
            opened={webhook !== undefined}
            title={before ? words.editing(before.name) : words.create}
            submit={words.form.submit}
            canSubmit={name !== '' && room !== null && url !== '' && notices.length > 0}
            shown={['/name', '/url', '/notices']}
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
                    <Select
                        label={words.form.room}
                        required
                        disabled={before !== undefined}
                        allowDeselect={false}
                        data={[...rooms]}
                        value={room}
                        onChange={setRoom}
                    />
                    <TextInput
                        label={words.form.url}
                        description={words.form.urlHint}
                        required
                        type="url"
                        value={url}
                        error={problem?.at('/url')}
                        onChange={event => setUrl(event.currentTarget.value.trim())}
                    />
                    <Checkbox.Group
                        label={words.form.notices}
                        value={notices}
                        error={problem?.at('/notices')}
                        onChange={setNotices}
                    >
                        <Group gap="md" mt={4}>
                            {NOTICES.map(notice => (
                                <Checkbox key={notice} value={notice} label={words.notices[notice]} />
                            ))}
                        </Group>
                    </Checkbox.Group>
                </>
            )}
        </FormDialog>
    );
}
