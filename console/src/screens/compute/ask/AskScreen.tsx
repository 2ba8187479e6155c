import { Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { DryRun } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { dedicatedChanges, type ResourceRequest } from '../../../api/queries/dedicated';
import { useRooms } from '../../../session/rooms';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { agreement } from '../describe';
import { bodyOf, emptyDraft, isSound, type Draft } from './draft';
import { HowFields, RuleFields, WhatFields } from './AskFields';

const words = text.compute.form;
const PAUSE_MS = 300;

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
    const [draft, setDraft] = useState(begin);
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const body = useMemo(() => bodyOf(draft), [draft]);
    const [asked] = useDebouncedValue(body, PAUSE_MS);
    const isReady = isSound(draft);
    const preview = useQuery({
        queryKey: ['dedicated', 'preview', asked],
        queryFn: () => dedicatedChanges.request(asked, { dryRun: true }) as unknown as Promise<DryRun>,
        enabled: isReady,
        placeholderData: keepPreviousData,
        gcTime: 10_000,
        retry: false,
    });
    const isOld = asked !== body || preview.isPlaceholderData || !isReady;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);
    const submit = async () => {
        setBusy(true);
        setRefusal(undefined);
        try {
            await dedicatedChanges.request(body, { dryRun: false });
            void client.invalidateQueries({ queryKey: ['dedicated'] });
            await navigate({ to: '/compute/requests' });
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const would = preview.data && (preview.data.result as unknown as ResourceRequest);
    const fields = {
        draft,
        wrong: (pointer: string) => problem?.at(pointer),
        onDraft: (change: Partial<Draft>) => {
            setRefusal(undefined);
            setDraft(before => ({ ...before, ...change }));
        },
    };
    return (
        <PreviewedForm
            verdict={
                !isReady ? (
                    <Text size="sm">{words.empty}</Text>
                ) : (
                    would && (
                        <>
                            <Verdict>{words.verdict}</Verdict>
                            <p>{agreement(would)}</p>
                            <Text size="sm" c="dimmed">
                                {words.verdictAbout}
                            </Text>
                        </>
                    )
                )
            }
            kind="quiet"
            problem={problem}
            shown={['/workspace', '/supply', '/reason', '/reserved', '/byUsage', '/cap']}
            isOld={isOld}
            isBusy={isBusy}
            button={words.submit}
            onSubmit={() => void submit()}
        >
            <WhatFields {...fields} rooms={rooms} />
            <HowFields {...fields} />
            <RuleFields {...fields} />
        </PreviewedForm>
    );
}
