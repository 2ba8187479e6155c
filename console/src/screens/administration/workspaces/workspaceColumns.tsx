import { Badge, CloseButton, Group, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Workspace } from '../../../api/queries/workspaces';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { RowMenu } from '../../../ui/RowMenu';
import type { Column } from '../../../ui/table';

const words = text.administration.workspace;

interface Wishes {
    onEdit(workspace: Workspace): void;
    onAttach(workspace: Workspace): void;
    onDetach(workspace: string, quota: string): void;
    onRemove(workspace: string): void;
}

/** `mayCreate`: whether one may also attach, detach and delete. */
export function workspaceColumns(mayCreate: boolean, wishes: Wishes): Column<Workspace>[] {
    const names = words.columns;
    return [
        {
            id: 'name',
            header: names.name,
            width: '18%',
            cell: one => <strong>{one.metadata.name}</strong>,
        },
        {
            id: 'quotas',
            header: names.quotas,
            width: '32%',
            cell: one => <Quotas workspace={one} onDetach={mayCreate ? wishes.onDetach : undefined} />,
        },
        { id: 'members', header: names.members, align: 'right', cell: one => figure(one.status.members) },
        {
            id: 'workloads',
            header: names.workloads,
            align: 'right',
            cell: one => figure(one.status.workloads),
        },
        { id: 'description', header: names.description, cell: one => one.spec.description ?? '' },
        {
            id: 'actions',
            header: text.common.actions,
            hideHeader: true,
            align: 'right',
            width: '3rem',
            cell: one => (
                <RowMenu label={text.administration.more(one.metadata.name)}>
                    <Menu.Item
                        renderRoot={props => (
                            <Link {...props} to="/center" search={{ ws: one.metadata.name }} />
                        )}
                    >
                        {words.center}
                    </Menu.Item>
                    <Menu.Item onClick={() => wishes.onEdit(one)}>{words.edit}</Menu.Item>
                    {mayCreate && !one.status.allQuotas && (
                        <Menu.Item onClick={() => wishes.onAttach(one)}>{words.attach}</Menu.Item>
                    )}
                    {mayCreate && !one.status.allQuotas && (
                        <Menu.Item color="coral" onClick={() => wishes.onRemove(one.metadata.name)}>
                            {words.remove}
                        </Menu.Item>
                    )}
                </RowMenu>
            ),
        },
    ];
}

function Quotas(props: { workspace: Workspace; onDetach?(workspace: string, quota: string): void }) {
    const { spec, status, metadata } = props.workspace;
    const { onDetach } = props;
    const all = spec.quotas ?? [];
    if (status.allQuotas) return <Text size="sm">{words.allQuotas}</Text>;
    if (all.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {words.noQuotas}
            </Text>
        );
    }
    return (
        <Group gap={6}>
            {all.map(quota => (
                <Badge
                    key={quota}
                    color={quota === spec.defaultQuota ? 'tide' : 'gray'}
                    rightSection={
                        onDetach && (
                            <CloseButton
                                size={16}
                                aria-label={words.detach(quota)}
                                onClick={() => onDetach(metadata.name, quota)}
                            />
                        )
                    }
                >
                    {quota}
                    {quota === spec.defaultQuota && ` · ${words.isDefault}`}
                </Badge>
            ))}
        </Group>
    );
}
