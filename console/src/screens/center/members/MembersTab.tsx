import { Badge, Button, Group, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import type { Invitation } from '../../../api/queries/people';
import { session as sessionQueries } from '../../../api/queries/session';
import { workspaceChanges, workspaces, type Member } from '../../../api/queries/workspaces';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { InvitationDialog } from '../../administration/users/InvitationDialog';
import { NewUserDialog } from '../../administration/users/NewUserDialog';
import { AddMemberDialog } from './AddMemberDialog';

const words = text.center.member;
const MOVES = ['workspaces', 'users', 'session', 'start'];

/** Who is in the room, with which role. */
export function MembersTab({ room }: { room: string }) {
    const session = useSession();
    const { data, error, refetch } = useQuery(workspaces.members(room));
    const roles = useQuery(sessionQueries.roles());
    const [dialog, setDialog] = useState<'add' | 'invite'>();
    const [invitation, setInvitation] = useState<Invitation>();
    const [change, setChange] = useState<PlannedChange>();
    const whyNot = session.whyNot('member:update', room);
    const isOwner = session.workspaces.some(one => one.workspace === room && one.role === 'owner');

    const setRole = (member: Member, role: string) =>
        setChange({
            title: words.change(member.user, role),
            confirm: words.change(member.user, role),
            about: words.changeAbout(member.user, member.role, role),
            send: asked => workspaceChanges.setMember(room, member.user, role, asked),
            moves: MOVES,
        });
    const remove = ({ user, serviceAccount }: Member) =>
        setChange({
            title: words.remove(user),
            confirm: words.remove(user),
            about: serviceAccount ? text.administration.account.removeAbout : words.removeAbout,
            send: asked =>
                serviceAccount
                    ? workspaceChanges.removeAccount(room, user, asked)
                    : workspaceChanges.removeMember(room, user, asked),
            moves: [...MOVES, 'tokens'],
        });
    // Owners are made and unmade by owners.
    const whyNotOf = (member: Member) =>
        whyNot ?? (member.role === 'owner' && !isOwner && !session.administrator ? words.owners : undefined);
    const grantable = (roles.data?.items ?? [])
        .map(one => one.name)
        .filter(name => name !== 'owner' || isOwner || session.administrator);
    return (
        <>
            <Group>
                <DisabledReason reason={whyNot}>
                    <Button size="sm" onClick={() => setDialog('add')}>
                        {words.add}
                    </Button>
                </DisabledReason>
                {session.may('user:update') && (
                    <Button size="sm" variant="default" onClick={() => setDialog('invite')}>
                        {words.invite}
                    </Button>
                )}
            </Group>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={200} />
            ) : (
                <DataTable
                    label={text.center.tabs.members}
                    columns={columns({ self: session.user, grantable, whyNotOf, setRole, remove }).filter(
                        column => column.id !== 'remove' || whyNot === undefined,
                    )}
                    rows={data}
                    rowKey={member => member.user}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            <AddMemberDialog
                room={room}
                roles={grantable}
                opened={dialog === 'add'}
                onClose={() => setDialog(undefined)}
            />
            <NewUserDialog
                room={room}
                opened={dialog === 'invite'}
                onClose={() => setDialog(undefined)}
                onInvited={setInvitation}
            />
            <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}

interface Context {
    self: string;
    /** Roles that one may give. */
    grantable: readonly string[];
    whyNotOf(member: Member): string | undefined;
    setRole(member: Member, role: string): void;
    remove(member: Member): void;
}

function columns({ self, grantable, whyNotOf, setRole, remove }: Context): Column<Member>[] {
    const names = words.columns;
    return [
        {
            id: 'user',
            header: names.user,
            cell: member => (
                <Group gap={8}>
                    <span>
                        <strong>{member.user}</strong>
                        {member.user === self && ` (${words.you})`}
                    </span>
                    {member.serviceAccount && <Badge color="gray">{words.account}</Badge>}
                </Group>
            ),
        },
        {
            id: 'role',
            header: names.role,
            cell: member =>
                whyNotOf(member) === undefined ? (
                    <Select
                        size="xs"
                        w={160}
                        aria-label={words.roleOf(member.user)}
                        allowDeselect={false}
                        data={[...new Set([...grantable, member.role])]}
                        value={member.role}
                        onChange={role => role !== null && role !== member.role && setRole(member, role)}
                    />
                ) : (
                    member.role
                ),
        },
        { id: 'since', header: names.since, cell: member => <RelativeTime at={member.since} /> },
        {
            id: 'remove',
            header: words.removeButton,
            hideHeader: true,
            align: 'right',
            cell: member => (
                <DisabledReason reason={whyNotOf(member)}>
                    <Button
                        variant="default"
                        aria-label={words.remove(member.user)}
                        onClick={() => remove(member)}
                    >
                        {words.removeButton}
                    </Button>
                </DisabledReason>
            ),
        },
    ];
}
