import { Skeleton } from '@mantine/core';
import { useRooms } from '../../../session/rooms';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { emptyDraft } from './draft';
import { TemplateForm } from './TemplateForm';

const words = text.templates;

/** A template of one's own workspace, or for everybody. */
export function NewTemplateScreen() {
    const { administrator } = useSession();
    const chosen = useWorkspace();
    const rooms = useRooms('template:update');
    const room = rooms?.find(one => one === chosen) ?? (administrator ? '' : rooms?.[0]);
    return (
        <Page
            title={words.form.create}
            about={words.empty.about}
            actions={
                <ButtonLink to="/tasks/templates" variant="default">
                    {words.detail.back}
                </ButtonLink>
            }
        >
            {rooms === undefined ? (
                <Skeleton height={400} />
            ) : room === undefined ? (
                <EmptyState title={words.form.create}>{words.form.nowhere}</EmptyState>
            ) : (
                <TemplateForm begin={{ ...emptyDraft, room }} />
            )}
        </Page>
    );
}
