import { Badge, Button, Group, Menu } from '@mantine/core';
import type { Webhook } from '../../../api/queries/webhooks';
import { text } from '../../../texts';
import { RowMenu } from '../../../ui/RowMenu';
import type { Column } from '../../../ui/table';

const words = text.administration.webhook;

interface Wishes {
    isOpen(webhook: Webhook): boolean;
    onToggle(webhook: Webhook): void;
    onEdit(webhook: Webhook): void;
    onRemove(webhook: Webhook): void;
}

export function webhookColumns({ isOpen, onToggle, onEdit, onRemove }: Wishes): Column<Webhook>[] {
    const names = words.columns;
    return [
        { id: 'name', header: names.name, cell: one => <strong>{one.name}</strong> },
        { id: 'room', header: names.room, cell: one => one.workspace },
        { id: 'url', header: names.url, width: '30%', cell: one => <code>{one.url}</code> },
        {
            id: 'notices',
            header: names.notices,
            cell: one => (
                <Group gap={4}>
                    {one.notices.map(notice => (
                        <Badge key={notice} color="gray">
                            {words.notices[notice]}
                        </Badge>
                    ))}
                </Group>
            ),
        },
        {
            id: 'deliveries',
            header: words.deliveries,
            hideHeader: true,
            width: '9rem',
            cell: one => (
                <Button variant="default" aria-expanded={isOpen(one)} onClick={() => onToggle(one)}>
                    {isOpen(one) ? words.hide : words.deliveries}
                </Button>
            ),
        },
        {
            id: 'actions',
            header: text.common.actions,
            hideHeader: true,
            align: 'right',
            width: '3rem',
            cell: one => (
                <RowMenu label={text.administration.more(one.name)}>
                    <Menu.Item onClick={() => onEdit(one)}>{words.edit}</Menu.Item>
                    <Menu.Item color="coral" onClick={() => onRemove(one)}>
                        {words.remove}
                    </Menu.Item>
                </RowMenu>
            ),
        },
    ];
}
