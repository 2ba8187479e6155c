import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import { quotaChanges, type Quota } from '../../api/queries/quotas';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { Icon } from '../../ui/icons';
import { NewQuotaDialog } from './NewQuotaDialog';
import { QuotaChangeDialog } from './QuotaChangeDialog';
import { ScaleDialog } from './ScaleDialog';
import { TransferDialog } from './TransferDialog';

const words = text.quotas;
type Action = 'scale' | 'transfer' | 'child' | 'delete';

/** What can be done to a quota. Absent for whoever may do nothing of it. */
export function QuotaActions({ quota, onDeleted }: { quota: Quota; onDeleted?(): void }) {
    const session = useSession();
    const [action, setAction] = useState<Action>();
    // What the form was opened with stays, whatever happens meanwhile: a change is made to what was seen.
    const [seen, setSeen] = useState(quota);
    if (!session.may('quota:update')) return null;
    const { name } = quota.metadata;
    const close = () => setAction(undefined);
    const open = (next: Action) => {
        setSeen(quota);
        setAction(next);
    };
    const isRoot = quota.spec.parent == null;
    return (
        <>
            <Menu position="bottom-end" width={200}>
                <Menu.Target>
                    <ActionIcon variant="subtle" color="gray" aria-label={words.actionsOf(name)}>
                        <Icon name="dots" />
                    </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                    <Menu.Item onClick={() => open('scale')}>{words.scale.action}</Menu.Item>
                    {!isRoot && (
                        <Menu.Item onClick={() => open('transfer')}>{words.transfer.action}</Menu.Item>
                    )}
                    <Menu.Item onClick={() => open('child')}>{words.create.child}</Menu.Item>
                    <Menu.Divider />
                    <Menu.Item color="coral" onClick={() => open('delete')}>
                        {words.remove.action}
                    </Menu.Item>
                </Menu.Dropdown>
            </Menu>
            {action === 'scale' && <ScaleDialog quota={seen} onClose={close} />}
            {action === 'transfer' && <TransferDialog quota={seen} onClose={close} />}
            {action === 'child' && <NewQuotaDialog parent={seen} onClose={close} />}
            {action === 'delete' && <DeleteDialog quota={seen} onClose={close} onDeleted={onDeleted} />}
        </>
    );
}

function DeleteDialog({ quota, onClose, onDeleted }: { quota: Quota; onClose(): void; onDeleted?(): void }) {
    const { name } = quota.metadata;
    const [change] = useState({
        title: words.remove.title(name),
        confirm: words.remove.confirm,
        seen: quota,
        wanted: undefined,
        send: (version: string, asked: { dryRun: boolean }) => quotaChanges.remove(name, version, asked),
    });
    return <QuotaChangeDialog change={change} onClose={onClose} onDone={onDeleted} />;
}
