import { Radio, Select, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { tokenChanges, type Token } from '../../../api/queries/people';
import { session } from '../../../api/queries/session';
import { text } from '../../../texts';
import { FormDialog } from '../../../ui/FormDialog';
import { ActionChoice } from '../ActionChoice';

const words = text.administration.token.form;
const DAYS = [1, 7, 30, 90, 365];
const USUAL = '90d';

interface Props {
    user: string;
    opened: boolean;
    onClose(): void;
    onMade(token: Token): void;
}

/** A token: for how long, and for what. */
export function NewTokenDialog({ user, opened, onClose, onMade }: Props) {
    const client = useQueryClient();
    const roles = useQuery(session.roles());
    const [name, setName] = useState('');
    const [expiresIn, setExpiresIn] = useState(USUAL);
    const [isNarrow, setNarrow] = useState(false);
    const [actions, setActions] = useState<string[]>([]);
    useEffect(() => {
        if (!opened) return;
        setName('');
        setExpiresIn(USUAL);
        setNarrow(false);
        setActions(['workload:read']);
    }, [opened]);
    const submit = async () => {
        const scope = isNarrow ? { actions } : {};
        const token = await tokenChanges.create({ user, name: name || undefined, expiresIn, ...scope });
        void client.invalidateQueries({ queryKey: ['tokens'] });
        onMade(token);
    };
    return (
        <FormDialog
            opened={opened}
            title={words.title(user)}
            submit={words.submit}
            canSubmit={!isNarrow || actions.length > 0}
            shown={['/name', '/expiresIn', '/actions']}
            onClose={onClose}
            onSubmit={submit}
        >
            {problem => (
                <>
                    <TextInput
                        label={words.name}
                        description={words.nameHint}
                        data-autofocus
                        value={name}
                        error={problem?.at('/name')}
                        onChange={event => setName(event.currentTarget.value.trim())}
                    />
                    <Select
                        label={words.expires}
                        allowDeselect={false}
                        data={DAYS.map(days => ({ value: `${days}d`, label: words.days(days) }))}
                        value={expiresIn}
                        error={problem?.at('/expiresIn')}
                        onChange={value => setExpiresIn(value ?? USUAL)}
                    />
                    <Radio.Group
                        label={words.scope}
                        value={isNarrow ? 'some' : 'all'}
                        onChange={value => setNarrow(value === 'some')}
                    >
                        <Stack gap={6} mt={4}>
                            <Radio value="all" label={words.all} />
                            <Radio value="some" label={words.some} />
                        </Stack>
                    </Radio.Group>
                    {isNarrow && (
                        <ActionChoice
                            label={words.some}
                            actions={roles.data?.actions ?? []}
                            chosen={actions}
                            error={problem?.at('/actions')}
                            onChange={setActions}
                        />
                    )}
                </>
            )}
        </FormDialog>
    );
}
