import { Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { DryRun } from '../../../api/client';
import { dedicatedChanges, type ResourceRequest } from '../../../api/queries/dedicated';
import { useRooms } from '../../../session/rooms';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { usePreviewedChange } from '../../../ui/usePreviewedChange';
import { agreement } from '../describe';
import { bodyOf, emptyDraft, isSound, type Draft } from './draft';
import { HowFields, RuleFields, WhatFields } from './AskFields';

const words = text.compute.form;

/** Asks for compute of a workspace alone. */
export function AskScreen() {
    const chosen = useWorkspace();
    const asked = useSearch({ from: '/app/compute/requests/new' });
    const rooms = useRooms('resource-request:create');
    const room = rooms?.find(one => one === chosen) ?? rooms?.[0];
    return (
        <Page
            title={words.title}
            about={text.compute.about}
            actions={
                <ButtonLink to="/compute/requests" variant="default">
                    {text.compute.sections.requests}
                </ButtonLink>
            }
        >
            {rooms === undefined ? (
                <Skeleton height={400} />
            ) : room === undefined ? (
                <EmptyState title={words.title}>{words.nowhere}</EmptyState>
            ) : (
                <AskForm rooms={rooms} begin={{ ...emptyDraft, ...asked, workspace: room }} />
            )}
        </Page>
    );
}

function AskForm({ rooms, begin }: { rooms: readonly string[]; begin: Draft }) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const { fields, wanted, would, form } = usePreviewedChange({
        begin,
        wantedOf: (draft: Draft) => (isSound(draft) ? bodyOf(draft) : undefined),
        key: ['dedicated', 'preview'],
        preview: body => dedicatedChanges.request(body, { dryRun: true }) as unknown as Promise<DryRun>,
        apply: async body => {
            await dedicatedChanges.request(body, { dryRun: false });
            void client.invalidateQueries({ queryKey: ['dedicated'] });
            await navigate({ to: '/compute/requests' });
        },
    });
    return (
        <PreviewedForm
            {...form}
            verdict={
                wanted === undefined ? (
                    <Text size="sm">{words.empty}</Text>
                ) : (
                    would && (
                        <>
                            <Verdict>{words.verdict}</Verdict>
                            <p>{agreement(would.result as unknown as ResourceRequest)}</p>
                            <Text size="sm" c="dimmed">
                                {words.verdictAbout}
                            </Text>
                        </>
                    )
                )
            }
            kind="quiet"
            shown={['/workspace', '/supply', '/reason', '/reserved', '/byUsage', '/cap']}
            button={words.submit}
        >
            <WhatFields {...fields} rooms={rooms} />
            <HowFields {...fields} />
            <RuleFields {...fields} />
        </PreviewedForm>
    );
}
