import { Button } from '@mantine/core';
import { useState } from 'react';
import { hasEnded, taskChanges, type Task } from '../../../api/queries/tasks';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { ButtonLink } from '../../../ui/links';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';

const words = text.tasks.detail;

/** What one can do to a task, and the ways from it. */
export function TaskActions({ task }: { task: Task }) {
    const session = useSession();
    const [change, setChange] = useState<PlannedChange>();
    const { id, name, owner, state, workspace } = task;
    const isMine = owner === session.user || session.may('workload:operate', workspace);
    const whyNot = hasEnded(state)
        ? words.ended(text.tasks.states[state].toLowerCase())
        : (session.whyNot('workload:update', workspace) ?? (isMine ? undefined : words.notMine(owner)));
    return (
        <>
            <ButtonLink to="/workloads/$workload" params={{ workload: id }} variant="default">
                {words.workload}
            </ButtonLink>
            <ButtonLink
                to="/workloads/$workload"
                params={{ workload: id }}
                search={{ tab: 'logs' }}
                variant="default"
            >
                {words.logs}
            </ButtonLink>
            {task.template != null && (
                <DisabledReason reason={session.whyNot('task:submit', workspace)}>
                    <ButtonLink to="/tasks/new" search={{ like: id }} variant="default">
                        {words.again}
                    </ButtonLink>
                </DisabledReason>
            )}
            <DisabledReason reason={whyNot}>
                <Button
                    variant="default"
                    onClick={() =>
                        setChange({
                            title: words.cancelTitle(name),
                            confirm: words.cancel,
                            about: words.cancelAbout,
                            send: asked => taskChanges.cancel(id, asked),
                            moves: ['tasks', 'workloads', 'quotas', 'nodes', 'pools'],
                        })
                    }
                >
                    {words.cancel}
                </Button>
            </DisabledReason>
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}
