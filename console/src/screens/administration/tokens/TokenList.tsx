import { Badge, Button, Code, Group, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Problem } from '../../../api/problem';
import { tokenChanges, tokens, type Token } from '../../../api/queries/people';
import { text } from '../../../texts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import { SecretDialog } from '../../../ui/SecretDialog';
import type { Column } from '../../../ui/table';
import { NewTokenDialog } from './NewTokenDialog';

const words = text.administration.token;

/** What lets somebody in: tokens and browsers, each with its last use. `chooser`: chooses whose. */
export function TokenList({ user, chooser }: { user: string; chooser?: ReactNode }) {
    const client = useQueryClient();
    const { data, error, refetch } = useQuery(tokens.of(user));
    const [isMaking, setMaking] = useState(false);
    const [made, setMade] = useState<Token>();
    const [revoking, setRevoking] = useState<Token>();
    const revoke = async () => {
        if (revoking) await tokenChanges.revoke(revoking.id);
        await client.invalidateQueries({ queryKey: ['tokens'] });
    };
    return (
        <>
            <Group align="end" justify={chooser ? 'space-between' : undefined}>
                {chooser}
                <Button
                    size="sm"
                    leftSection={<Icon name="plus" size={16} />}
                    onClick={() => setMaking(true)}
                >
                    {words.create}
                </Button>
            </Group>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={160} />
            ) : (
                <DataTable
                    label={text.administration.sections.tokens}
                    columns={columns(setRevoking)}
                    rows={data}
                    rowKey={token => token.id}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            <NewTokenDialog user={user} opened={isMaking} onClose={() => setMaking(false)} onMade={setMade} />
            <SecretDialog
                secret={made?.secret ?? undefined}
                title={words.secret.title(made?.name ?? '')}
                label={words.secret.label}
                onClose={() => setMade(undefined)}
            >
                {words.secret.about}
                <Code block mt={6}>
                    {words.secret.header}
                </Code>
            </SecretDialog>
            <ConfirmDialog
                opened={revoking !== undefined}
                title={words.revoking(revoking ? nameOf(revoking) : '')}
                confirm={words.revoke}
                isDangerous
                onClose={() => setRevoking(undefined)}
                onConfirm={revoke}
            >
                {words.revokeAbout}
            </ConfirmDialog>
        </>
    );
}

const nameOf = (token: Token) => (token.name === '' ? token.id : token.name);

function columns(revoke: (token: Token) => void): Column<Token>[] {
    const names = words.columns;
    return [
        {
            id: 'name',
            header: names.name,
            cell: token => (
                <span>
                    <strong>{nameOf(token)}</strong>{' '}
                    {token.name !== '' && (
                        <Text span size="xs" c="dimmed">
                            {token.id}
                        </Text>
                    )}
                </span>
            ),
        },
        {
            id: 'kind',
            header: names.kind,
            cell: token => (
                <Badge color={token.kind === 'session' ? 'gray' : 'tide'}>
                    {words.kinds[token.kind] ?? token.kind}
                </Badge>
            ),
        },
        {
            id: 'scope',
            header: names.scope,
            width: '30%',
            cell: token => token.actions?.join(', ') ?? words.everything,
        },
        { id: 'created', header: names.created, cell: token => <RelativeTime at={token.createdAt} /> },
        {
            id: 'used',
            header: names.used,
            cell: token => (token.lastUsedAt == null ? words.unused : <RelativeTime at={token.lastUsedAt} />),
        },
        {
            id: 'expires',
            header: names.expires,
            cell: token =>
                token.expiresAt == null ? text.common.time.never : <RelativeTime at={token.expiresAt} />,
        },
        {
            id: 'revoke',
            header: words.revoke,
            hideHeader: true,
            align: 'right',
            cell: token => (
                <Button
                    variant="default"
                    aria-label={(token.kind === 'session' ? words.ending : words.revoking)(nameOf(token))}
                    onClick={() => revoke(token)}
                >
                    {token.kind === 'session' ? words.endSession : words.revoke}
                </Button>
            ),
        },
    ];
}
