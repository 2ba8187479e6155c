import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { workspaceChanges, workspaces, type Workspace } from '../../../api/queries/workspaces';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { Icon } from '../../../ui/icons';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { Bar } from '../Bar';
import { AttachDialog } from './AttachDialog';
import { EditWorkspaceDialog } from './EditWorkspaceDialog';
import { NewWorkspaceDialog } from './NewWorkspaceDialog';
import { workspaceColumns } from './workspaceColumns';

const words = text.administration.workspace;
const MOVES = ['workspaces', 'quotas', 'session', 'start'];

/** The rooms that one may change, and the quotas that they use. */
export function WorkspacesSection() {
    const session = useSession();
    const chosen = useWorkspace();
    const { data, error, refetch } = useQuery(workspaces.list());
    const [isCreating, setCreating] = useState(false);
    const [editing, setEditing] = useState<Workspace>();
    const [attaching, setAttaching] = useState<Workspace>();
    const [change, setChange] = useState<PlannedChange>();
    const mayCreate = session.may('workspace:create');

    const rows = (data ?? []).filter(
        ({ metadata: { name } }) =>
            session.may('workspace:update', name) && (chosen === undefined || chosen === name),
    );
    const attach = (name: string, quota: string) =>
        setChange({
            title: words.change.attachOne(quota, name),
            confirm: words.change.attachOne(quota, name),
            send: asked => workspaceChanges.attach(name, quota, asked),
            moves: MOVES,
        });
    const detach = (name: string, quota: string) =>
        setChange({
            title: words.change.detach(quota, name),
            confirm: words.change.detach(quota, name),
            send: asked => workspaceChanges.detach(name, quota, asked),
            moves: MOVES,
        });
    const remove = (name: string) =>
        setChange({
            title: words.change.remove(name),
            confirm: words.change.remove(name),
            send: asked => workspaceChanges.remove(name, asked),
            moves: MOVES,
        });
    return (
        <>
            <Bar about={words.about}>
                {mayCreate && (
                    <Button
                        size="sm"
                        leftSection={<Icon name="plus" size={16} />}
                        onClick={() => setCreating(true)}
                    >
                        {words.create}
                    </Button>
                )}
            </Bar>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <DataTable
                    label={text.administration.sections.workspaces}
                    columns={workspaceColumns(mayCreate, {
                        onEdit: setEditing,
                        onAttach: setAttaching,
                        onDetach: detach,
                        onRemove: remove,
                    })}
                    rows={rows}
                    rowKey={one => one.metadata.uid}
                />
            )}
            <NewWorkspaceDialog opened={isCreating} onClose={() => setCreating(false)} />
            <EditWorkspaceDialog workspace={editing} onClose={() => setEditing(undefined)} />
            <AttachDialog
                workspace={attaching}
                onClose={() => setAttaching(undefined)}
                onChosen={(name, quota) => attach(name, quota)}
            />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}
