import { Button, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { users, type Invitation } from '../../../api/queries/people';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { Bar } from '../Bar';
import { InvitationDialog } from './InvitationDialog';
import { NewUserDialog } from './NewUserDialog';
import { userColumns } from './userColumns';

const words = text.administration.user;

/** Everybody, with what they may and how they get in. */
export function UsersSection() {
    const { find } = useSearch({ from: '/app/administration/users' });
    const navigate = useNavigate({ from: '/administration/users' });
    const session = useSession();
    const workspace = useWorkspace();
    const { data, error, refetch } = useQuery(users.list());
    const [isCreating, setCreating] = useState(false);
    const [change, setChange] = useState<PlannedChange>();
    const [invitation, setInvitation] = useState<Invitation>();
    const [problem, setProblem] = useState<Problem>();

    const rows = (data ?? []).filter(
        user =>
            user.metadata.name.toLowerCase().includes((find ?? '').toLowerCase()) &&
            (workspace === undefined || user.status.workspaces.some(one => one.workspace === workspace)),
    );
    return (
        <>
            <Bar about={words.about}>
                <TextInput
                    aria-label={text.administration.find}
                    placeholder={text.administration.find}
                    leftSection={<Icon name="search" size={16} />}
                    value={find ?? ''}
                    onChange={event => {
                        const value = event.currentTarget.value;
                        void navigate({
                            search: before => ({ ...before, find: value === '' ? undefined : value }),
                            replace: true,
                        });
                    }}
                />
                <Button
                    size="sm"
                    leftSection={<Icon name="plus" size={16} />}
                    onClick={() => setCreating(true)}
                >
                    {words.create}
                </Button>
            </Bar>
            <ProblemAlert
                problem={problem ?? (error && Problem.from(error))}
                onRetry={() => {
                    setProblem(undefined);
                    void refetch();
                }}
            />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <DataTable
                    label={text.administration.sections.users}
                    columns={userColumns(session.user, {
                        onChange: setChange,
                        onInvited: setInvitation,
                        onProblem: setProblem,
                    })}
                    rows={rows}
                    rowKey={user => user.metadata.uid}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            <NewUserDialog
                opened={isCreating}
                onClose={() => setCreating(false)}
                onInvited={setInvitation}
                room={workspace}
            />
            <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}
