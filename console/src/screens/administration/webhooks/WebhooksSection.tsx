import { Button, Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { webhookChanges, webhooks, type Webhook } from '../../../api/queries/webhooks';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { SecretDialog } from '../../../ui/SecretDialog';
import { Bar } from '../Bar';
import { useRooms } from '../rooms';
import { Deliveries } from './Deliveries';
import { webhookColumns } from './webhookColumns';
import { WebhookDialog } from './WebhookDialog';

const words = text.administration.webhook;

/** Webhooks of the rooms that one looks after; what was sent by one of them is below it. */
export function WebhooksSection() {
    const { room, hook } = useSearch({ from: '/app/administration/webhooks' });
    const navigate = useNavigate({ from: '/administration/webhooks' });
    const chosen = useWorkspace();
    const rooms = useRooms('webhook:update').filter(name => chosen === undefined || name === chosen);
    const lists = useQueries({ queries: rooms.map(name => webhooks.of(name)) });
    const [editing, setEditing] = useState<Webhook | 'new'>();
    const [made, setMade] = useState<Webhook>();
    const [change, setChange] = useState<PlannedChange>();

    const isOpen = (one: Webhook) => one.workspace === room && one.name === hook;
    const toggle = (one: Webhook) =>
        void navigate({
            search: ({ ws }) => (isOpen(one) ? { ws } : { ws, room: one.workspace, hook: one.name }),
            replace: true,
        });
    const remove = (one: Webhook) =>
        setChange({
            title: words.removing(one.name),
            confirm: words.removing(one.name),
            send: asked => webhookChanges.remove(one.workspace, one.name, asked),
            moves: ['webhooks'],
        });
    const error = lists.find(list => list.error)?.error;
    const isRead = lists.every(list => list.data !== undefined);
    const create = (
        <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
            {words.create}
        </Button>
    );
    return (
        <>
            <Bar about={words.about}>{create}</Bar>
            <ProblemAlert
                problem={error && Problem.from(error)}
                onRetry={() => lists.forEach(list => void list.refetch())}
            />
            {isRead ? (
                <DataTable
                    label={text.administration.sections.webhooks}
                    columns={webhookColumns({
                        isOpen,
                        onToggle: toggle,
                        onEdit: setEditing,
                        onRemove: remove,
                    })}
                    rows={lists.flatMap(list => list.data ?? [])}
                    rowKey={one => `${one.workspace}/${one.name}`}
                    below={one => isOpen(one) && <Deliveries webhook={one} />}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            ) : (
                !error && <Skeleton height={160} />
            )}
            <WebhookDialog
                webhook={editing}
                rooms={rooms}
                onClose={() => setEditing(undefined)}
                onMade={one => one.secret != null && setMade(one)}
            />
            <SecretDialog
                secret={made?.secret ?? undefined}
                title={words.secret.title(made?.name ?? '')}
                label={words.secret.label}
                onClose={() => setMade(undefined)}
            >
                {words.secret.about}
            </SecretDialog>
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}
