import { Button } from '@mantine/core';
import { useState } from 'react';
import { dedicatedChanges, type ResourceConfig } from '../../../api/queries/dedicated';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { ButtonLink } from '../../../ui/links';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ExtendDialog } from './ExtendDialog';

const words = text.compute.config;
export const MOVES = ['dedicated', 'quotas', 'workloads', 'tasks', 'nodes', 'pools'];

/** Use it, let it go on, or give it back. */
export function ConfigActions({ config }: { config: ResourceConfig }) {
    const session = useSession();
    const [change, setChange] = useState<PlannedChange>();
    const [isExtending, setExtending] = useState(false);
    const { id, state, workspace, by, reserved, byUsage } = config;
    const hasEnded = state === 'ended' ? words.ended : undefined;
    const mayRelease =
        session.may('resource-config:update', workspace) ||
        (by === session.user && session.may('resource-request:create', workspace));
    const hasEnd = reserved != null || byUsage?.until != null;
    return (
        <>
            <DisabledReason
                reason={
                    hasEnded ??
                    session.whyNot('task:submit', workspace) ??
                    (state === 'active' ? undefined : words.useWhy)
                }
            >
                <ButtonLink to="/tasks/new" search={({ ws }) => ({ ws, config: id })}>
                    {words.use}
                </ButtonLink>
            </DisabledReason>
            <DisabledReason
                reason={
                    hasEnded ??
                    (session.may('resource-config:approve') ? undefined : words.extendDenied) ??
                    (hasEnd ? undefined : words.noEnd)
                }
            >
                <Button variant="default" onClick={() => setExtending(true)}>
                    {words.extend}
                </Button>
            </DisabledReason>
            <DisabledReason reason={hasEnded ?? (mayRelease ? undefined : words.denied)}>
                <Button
                    variant="default"
                    onClick={() =>
                        setChange({
                            title: words.releaseTitle(id),
                            confirm: words.release,
                            about: words.releaseAbout,
                            quiet: words.releaseStops(config.running + config.waiting),
                            send: asked => dedicatedChanges.release(id, asked),
                            moves: MOVES,
                        })
                    }
                >
                    {words.release}
                </Button>
            </DisabledReason>
            {isExtending && <ExtendDialog config={config} onClose={() => setExtending(false)} />}
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}
