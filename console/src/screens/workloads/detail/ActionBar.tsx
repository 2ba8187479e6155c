import { Anchor, Button, Menu, Modal, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import type { Asked } from '../../../api/queries/quotas';
import { workloadChanges, type Workload } from '../../../api/queries/workloads';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { whyNot, type WorkloadAction } from './actions';
import { NumberDialog } from './NumberDialog';

const words = text.workloads.actions;
/** What a change of a workload may move besides it. */
const MOVES = ['workloads', 'quotas', 'nodes', 'pools'];

/** What one can do to a workload. What cannot be done now says why. */
export function ActionBar({ workload }: { workload: Workload }) {
    const session = useSession();
    const navigate = useNavigate();
    const [change, setChange] = useState<PlannedChange>();
    const [asks, setAsks] = useState<'resize' | 'priority'>();
    const { name, uid } = workload.metadata;
    const reason = (action: WorkloadAction) => whyNot(action, workload, session);
    const plan = (action: Exclude<WorkloadAction, 'open'>, send: (asked: Asked) => Promise<unknown>) =>
        setChange({ title: words.titles[action](name), confirm: words[action], send, moves: MOVES });
    const done = (answer: unknown) => {
        const { metadata } = answer as Workload;
        // What is started again is a workload of its own.
        if (metadata.uid !== uid)
            void navigate({ to: '/workloads/$workload', params: { workload: metadata.uid } });
        else if (change?.confirm === words.remove) void navigate({ to: '/workloads' });
    };
    const { status } = workload;
    const hasEnded = status.endedAt != null;
    const isReached = status.module === 'notebook' || status.module === 'service';
    return (
        <>
            {isReached && <OpenButton uid={uid} reason={reason('open')} />}
            {hasEnded ? (
                <DisabledReason reason={reason('start')}>
                    <Button onClick={() => plan('start', asked => workloadChanges.start(uid, asked))}>
                        {words.start}
                    </Button>
                </DisabledReason>
            ) : (
                <DisabledReason reason={reason('stop')}>
                    <Button
                        variant="default"
                        onClick={() => plan('stop', asked => workloadChanges.stop(uid, asked))}
                    >
                        {words.stop}
                    </Button>
                </DisabledReason>
            )}
            <DisabledReason reason={reason('restart')}>
                <Button
                    variant="default"
                    onClick={() => plan('restart', asked => workloadChanges.restart(uid, asked))}
                >
                    {words.restart}
                </Button>
            </DisabledReason>
            <DisabledReason reason={reason('resize')}>
                <Button variant="default" onClick={() => setAsks('resize')}>
                    {words.resize}
                </Button>
            </DisabledReason>
            <DisabledReason reason={reason('priority')}>
                <Button variant="default" onClick={() => setAsks('priority')}>
                    {words.priority}
                </Button>
            </DisabledReason>
            <Menu position="bottom-end">
                <Menu.Target>
                    <Button variant="default">{words.more}</Button>
                </Menu.Target>
                <Menu.Dropdown>
                    <Menu.Item
                        renderRoot={props => <Link {...props} to="/workloads/new" search={{ like: uid }} />}
                    >
                        {words.copy}
                    </Menu.Item>
                    <DisabledReason reason={reason('remove')}>
                        <Menu.Item
                            color="coral"
                            onClick={() => plan('remove', asked => workloadChanges.remove(uid, asked))}
                        >
                            {words.remove}
                        </Menu.Item>
                    </DisabledReason>
                </Menu.Dropdown>
            </Menu>
            <NumberDialog
                key={asks}
                opened={asks !== undefined}
                title={asks ? words.titles[asks](name) : ''}
                label={asks === 'resize' ? words.resizeTo : words.priorityTo}
                value={asks === 'resize' ? status.replicas.wanted : status.priority}
                max={asks === 'resize' ? 16384 : 9}
                onClose={() => setAsks(undefined)}
                onValue={value => {
                    setAsks(undefined);
                    if (asks === 'resize') plan('resize', asked => workloadChanges.resize(uid, value, asked));
                    else plan('priority', asked => workloadChanges.priority(uid, value, asked));
                }}
            />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} onDone={done} />
        </>
    );
}

/** Opens a notebook or service in a window of its own, by a link that works once. */
function OpenButton({ uid, reason }: { uid: string; reason: string | undefined }) {
    const [problem, setProblem] = useState<Problem>();
    const [link, setLink] = useState<string>();
    const [isBusy, setBusy] = useState(false);
    const open = async () => {
        setBusy(true);
        // Opened before the answer is there: afterwards the browser would take it for an advertisement.
        const place = window.open('', '_blank');
        try {
            const { url } = await workloadChanges.open(uid);
            if (place) {
                place.opener = null;
                place.location.href = url;
            } else setLink(url);
        } catch (thrown) {
            place?.close();
            setProblem(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    return (
        <>
            <DisabledReason reason={reason}>
                <Button loading={isBusy} onClick={() => void open()} title={words.opening}>
                    {words.open}
                </Button>
            </DisabledReason>
            <Modal
                opened={problem !== undefined || link !== undefined}
                onClose={() => {
                    setProblem(undefined);
                    setLink(undefined);
                }}
                title={words.open}
            >
                <ProblemAlert problem={problem} />
                {link !== undefined && (
                    <Text size="sm">
                        {words.blocked}{' '}
                        <Anchor href={link} target="_blank" rel="noreferrer">
                            {link}
                        </Anchor>
                    </Text>
                )}
            </Modal>
        </>
    );
}
