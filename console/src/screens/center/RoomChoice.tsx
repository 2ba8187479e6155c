import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Workspace } from '../../api/queries/workspaces';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { DataTable } from '../../ui/DataTable';
import { EmptyState } from '../../ui/EmptyState';
import { Page } from '../../ui/Page';
import type { Column } from '../../ui/table';

const words = text.center;

/** Rules are of one workspace: which one? */
export function RoomChoice({ rooms }: { rooms: readonly Workspace[] }) {
    return (
        <Page title={words.title} about={words.about}>
            <DataTable
                label={words.choose}
                columns={COLUMNS}
                rows={rooms}
                rowKey={room => room.metadata.uid}
                empty={<EmptyState title={words.none.title}>{words.none.about}</EmptyState>}
            />
        </Page>
    );
}

const COLUMNS: Column<Workspace>[] = [
    {
        id: 'name',
        header: words.rooms.name,
        cell: ({ metadata }) => (
            <Anchor
                size="sm"
                fw={600}
                renderRoot={props => <Link {...props} to="/center" search={{ ws: metadata.name }} />}
            >
                {metadata.name}
            </Anchor>
        ),
    },
    { id: 'role', header: words.rooms.role, cell: ({ status }) => status.role ?? '' },
    {
        id: 'quotas',
        header: words.rooms.quotas,
        width: '40%',
        cell: ({ spec, status }) => (status.allQuotas ? words.allQuotas : (spec.quotas ?? []).join(', ')),
    },
    { id: 'members', header: words.rooms.members, align: 'right', cell: one => figure(one.status.members) },
    {
        id: 'workloads',
        header: words.rooms.workloads,
        align: 'right',
        cell: one => figure(one.status.workloads),
    },
];
