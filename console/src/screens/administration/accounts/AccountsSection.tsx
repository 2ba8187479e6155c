import { Button, Menu, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { workspaceChanges } from '../../../api/queries/workspaces';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RowMenu } from '../../../ui/RowMenu';
import type { Column } from '../../../ui/table';
import { Bar } from '../Bar';
import { useAccounts, type Account } from './accounts';
import { NewAccountDialog } from './NewAccountDialog';

const words = text.administration.account;

/** Accounts of programs in the rooms that one looks after. */
export function AccountsSection() {
    const workspace = useWorkspace();
    const { data, error, refetch } = useAccounts();
    const [isCreating, setCreating] = useState(false);
    const [change, setChange] = useState<PlannedChange>();
    const remove = ({ name, workspace: room }: Account) =>
        setChange({
            title: words.remove(name),
            confirm: words.remove(name),
            about: words.removeAbout,
            send: asked => workspaceChanges.removeAccount(room, name, asked),
            moves: ['users', 'workspaces', 'tokens'],
        });
    const rows = data?.filter(one => workspace === undefined || one.workspace === workspace);
    return (
        <>
            <Bar about={words.about}>
                <Button
                    size="sm"
                    leftSection={<Icon name="plus" size={16} />}
                    onClick={() => setCreating(true)}
                >
                    {words.create}
                </Button>
            </Bar>
            <ProblemAlert problem={error ? Problem.from(error) : undefined} onRetry={refetch} />
            {rows === undefined ? (
                !error && <Skeleton height={160} />
            ) : (
                <DataTable
                    label={text.administration.sections.accounts}
                    columns={columns(remove)}
                    rows={rows}
                    rowKey={one => one.name}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            <NewAccountDialog opened={isCreating} room={workspace} onClose={() => setCreating(false)} />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}

function columns(remove: (account: Account) => void): Column<Account>[] {
    return [
        { id: 'name', header: words.columns.name, cell: one => <strong>{one.name}</strong> },
        { id: 'room', header: words.columns.room, cell: one => one.workspace },
        { id: 'role', header: words.columns.role, cell: one => one.role },
        {
            id: 'actions',
            header: text.common.actions,
            hideHeader: true,
            align: 'right',
            width: '3rem',
            cell: one => (
                <RowMenu label={text.administration.more(one.name)}>
                    <Menu.Item
                        renderRoot={props => (
                            <Link {...props} to="/administration/tokens" search={{ user: one.name }} />
                        )}
                    >
                        {words.tokens}
                    </Menu.Item>
                    <Menu.Item color="coral" onClick={() => remove(one)}>
                        {text.common.delete}
                    </Menu.Item>
                </RowMenu>
            ),
        },
    ];
}
