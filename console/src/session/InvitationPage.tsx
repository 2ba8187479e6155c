import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Problem } from '../api/problem';
import { sessionChanges } from '../api/queries/session';
import { text } from '../texts';
import { ProblemAlert } from '../ui/ProblemAlert';
import { EntranceFrame } from './EntranceFrame';
import { keptInvitation } from './invitation';
import { isComplete, NewPasswordFields } from './NewPasswordFields';

/** Where a one-time link leads: of the first start, or of an administrator. */
export function InvitationPage() {
    const secret = keptInvitation();
    const navigate = useNavigate();
    const client = useQueryClient();
    const [value, setValue] = useState({ password: '', again: '' });
    const [problem, setProblem] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);

    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (secret === undefined || !isComplete(value)) return;
        setBusy(true);
        setProblem(undefined);
        try {
            await sessionChanges.accept({ secret, password: value.password });
            client.clear();
            await navigate({ to: '/', replace: true });
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };

    return (
        <EntranceFrame title={text.session.invitation.title}>
            {secret === undefined ? (
                <Alert color="sand">{text.session.invitation.missing}</Alert>
            ) : (
                <form onSubmit={event => void submit(event)}>
                    <Stack gap="sm">
                        <Text size="sm">{text.session.invitation.about}</Text>
                        <ProblemAlert problem={problem} shown={['/password']} />
                        <NewPasswordFields
                            value={value}
                            error={problem?.at('/password')}
                            onChange={setValue}
                        />
                        <Button
                            type="submit"
                            size="sm"
                            loading={isBusy}
                            disabled={!isComplete(value)}
                            fullWidth
                            mt="xs"
                        >
                            {text.session.invitation.submit}
                        </Button>
                    </Stack>
                </form>
            )}
        </EntranceFrame>
    );
}
