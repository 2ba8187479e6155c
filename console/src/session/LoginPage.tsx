import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Problem } from '../api/problem';
import { session, sessionChanges } from '../api/queries/session';
import { text } from '../texts';
import { ProblemAlert } from '../ui/ProblemAlert';
import { EntranceFrame } from './EntranceFrame';

/** Name and password, or the provider of identities if the server knows one. */
export function LoginPage() {
    const { next, expired } = useSearch({ from: '/login' });
    const navigate = useNavigate();
    const client = useQueryClient();
    const ways = useQuery(session.ways());
    const [user, setUser] = useState('');
    const [password, setPassword] = useState('');
    const [problem, setProblem] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);

    const submit = async (event: FormEvent) => {
        event.preventDefault();
        setBusy(true);
        setProblem(undefined);
        try {
            await sessionChanges.logIn({ user, password });
            // What the one before was allowed to see is not for the next.
            client.clear();
            await navigate({ href: next ?? '/', replace: true });
        } catch (thrown) {
            setProblem(Problem.from(thrown));
            setPassword('');
        } finally {
            setBusy(false);
        }
    };

    const issuer = ways.data?.oidc;
    return (
        <EntranceFrame title={text.session.welcome}>
            <form onSubmit={event => void submit(event)}>
                <Stack gap="sm">
                    {expired && !problem && <Alert color="sand">{text.session.expired}</Alert>}
                    <ProblemAlert problem={problem} shown={['/user', '/password']} />
                    <TextInput
                        label={text.session.user}
                        autoComplete="username"
                        autoFocus
                        required
                        value={user}
                        error={problem?.at('/user')}
                        onChange={event => setUser(event.currentTarget.value)}
                    />
                    <PasswordInput
                        label={text.session.password}
                        autoComplete="current-password"
                        required
                        value={password}
                        error={problem?.at('/password')}
                        onChange={event => setPassword(event.currentTarget.value)}
                    />
                    <Button type="submit" size="sm" loading={isBusy} fullWidth mt="xs">
                        {text.session.logIn}
                    </Button>
                    {issuer != null && (
                        <>
                            <Divider label={text.session.or} />
                            <Button
                                component="a"
                                href="/api/v1/login/oidc"
                                variant="default"
                                size="sm"
                                fullWidth
                            >
                                {text.session.withProvider(hostOf(issuer))}
                            </Button>
                        </>
                    )}
                    <Text size="xs" c="dimmed">
                        {text.session.forgotten}
                    </Text>
                </Stack>
            </form>
        </EntranceFrame>
    );
}

function hostOf(issuer: string): string {
    try {
        return new URL(issuer).host;
    } catch {
        return issuer;
    }
}
