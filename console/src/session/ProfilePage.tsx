import { Alert, Button, PasswordInput, Stack, Table, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Problem } from '../api/problem';
import { sessionChanges } from '../api/queries/session';
import { TokenList } from '../screens/administration/tokens/TokenList';
import { text } from '../texts';
import { Facts } from '../ui/Facts';
import { Page, Section } from '../ui/Page';
import { ProblemAlert } from '../ui/ProblemAlert';
import { RelativeTime } from '../ui/RelativeTime';
import { isComplete, NewPasswordFields } from './NewPasswordFields';
import { useSession } from './session';

const words = text.session.profile;

/** Oneself: rights, rooms, password. */
export function ProfilePage() {
    const session = useSession();
    return (
        <Page title={words.title}>
            <Section>
                <Facts
                    facts={[
                        [words.user, session.user],
                        [words.rights, session.administrator ? text.shell.administrator : words.member],
                        [
                            words.until,
                            session.expiresAt == null ? (
                                text.common.time.never
                            ) : (
                                <RelativeTime at={session.expiresAt} />
                            ),
                        ],
                    ]}
                />
            </Section>
            <Section title={words.workspaces}>
                {session.workspaces.length === 0 ? (
                    <Text size="sm">{words.noWorkspaces}</Text>
                ) : (
                    <Table maw={480}>
                        <Table.Thead>
                            <Table.Tr>
                                <Table.Th>{text.shell.workspace}</Table.Th>
                                <Table.Th>{words.role}</Table.Th>
                            </Table.Tr>
                        </Table.Thead>
                        <Table.Tbody>
                            {session.workspaces.map(one => (
                                <Table.Tr key={one.workspace}>
                                    <Table.Td>{one.workspace}</Table.Td>
                                    <Table.Td>{one.role}</Table.Td>
                                </Table.Tr>
                            ))}
                        </Table.Tbody>
                    </Table>
                )}
            </Section>
            <Section title={text.administration.sections.tokens}>
                <Stack gap="sm">
                    <Text size="sm" c="dimmed">
                        {text.administration.token.about}
                    </Text>
                    <TokenList user={session.user} />
                </Stack>
            </Section>
            <Section title={words.change}>
                <ChangePassword />
            </Section>
        </Page>
    );
}

const EMPTY = { password: '', again: '' };

function ChangePassword() {
    const [old, setOld] = useState('');
    const [value, setValue] = useState(EMPTY);
    const [problem, setProblem] = useState<Problem>();
    const [ended, setEnded] = useState<number>();
    const [isBusy, setBusy] = useState(false);

    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (!isComplete(value)) return;
        setBusy(true);
        setProblem(undefined);
        setEnded(undefined);
        try {
            const answer = await sessionChanges.password({
                old: old === '' ? null : old,
                new: value.password,
            });
            setEnded('ended' in answer && typeof answer.ended === 'number' ? answer.ended : 0);
            setOld('');
            setValue(EMPTY);
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };

    return (
        <form onSubmit={event => void submit(event)}>
            <Stack gap="sm" maw={360}>
                <ProblemAlert problem={problem} shown={['/old', '/new']} />
                {ended !== undefined && (
                    <Alert color="tide" role="status">
                        {words.changed(ended)}
                    </Alert>
                )}
                <PasswordInput
                    label={words.old}
                    description={words.oldHint}
                    autoComplete="current-password"
                    value={old}
                    error={problem?.at('/old')}
                    onChange={event => setOld(event.currentTarget.value)}
                />
                <NewPasswordFields value={value} error={problem?.at('/new')} onChange={setValue} />
                <Button type="submit" loading={isBusy} disabled={!isComplete(value)} w="fit-content">
                    {words.change}
                </Button>
            </Stack>
        </form>
    );
}
