import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { newKey } from '../../../api/idempotency';
import { workloadChanges, workloads } from '../../../api/queries/workloads';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { PreviewedForm } from '../../../ui/PreviewedForm';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { usePreviewedChange } from '../../../ui/usePreviewedChange';
import { useChoices } from './choices';
import { bodyOf, draftLike, emptyDraft, wrongIn, type Draft } from './draft';
import { PlaceFields } from './PlaceFields';
import { RuleFields } from './RuleFields';
import { RunFields } from './RunFields';
import { SizeFields } from './SizeFields';
import { verdictOf } from './verdict';
import { buttonOf, VerdictView } from './VerdictView';

const words = text.workloads.form;

/** The form, begun empty or with what another workload has. */
export function SubmitScreen() {
    const { like, module, quota } = useSearch({ from: '/app/workloads/new' });
    const workspace = useWorkspace();
    const { workspaces, isReady } = useChoices(null, null);
    const model = useQuery({
        ...workloads.one(like ?? ''),
        enabled: like !== undefined,
        staleTime: Infinity,
    });
    const first = workspaces.find(one => one === workspace) ?? workspaces[0];
    return (
        <Page
            title={words.title}
            about={words.about}
            actions={
                <ButtonLink to="/workloads" variant="default">
                    {text.workloads.detail.back}
                </ButtonLink>
            }
        >
            <ProblemAlert problem={model.error && Problem.from(model.error)} />
            {!isReady || (like !== undefined && model.isPending) ? (
                <Skeleton height={400} />
            ) : first === undefined ? (
                <EmptyState title={words.title}>{words.nowhere}</EmptyState>
            ) : (
                <SubmitForm
                    key={like}
                    begin={
                        model.data
                            ? draftLike(model.data)
                            : {
                                  ...emptyDraft,
                                  workspace: first,
                                  module: module ?? emptyDraft.module,
                                  quota: quota ?? null,
                              }
                    }
                />
            )}
        </Page>
    );
}

/** Parts of a body whose fields are in the form: each shows what is wrong with it. */
const SHOWN = ['/metadata', '/spec'];

function SubmitForm({ begin }: { begin: Draft }) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const { fields, wanted, would, form } = usePreviewedChange({
        begin,
        wantedOf: bodyOf,
        wrongIn,
        key: ['workloads', 'preview'],
        preview: workloadChanges.preview,
        apply: async body => {
            const made = await workloadChanges.submit(body, key);
            void client.invalidateQueries({ queryKey: ['workloads'] });
            await navigate({ to: '/workloads/$workload', params: { workload: made.metadata.uid } });
        },
    });
    const key = useMemo(newKey, [wanted]);
    const choices = useChoices(fields.draft.workspace, fields.draft.quota);
    const verdict = would && verdictOf(would);
    return (
        <PreviewedForm
            {...form}
            verdict={verdict && <VerdictView verdict={verdict} />}
            kind={verdict?.kind}
            shown={SHOWN}
            button={buttonOf(verdict)}
        >
            <PlaceFields {...fields} workspaces={choices.workspaces} quotas={choices.quotas} />
            <SizeFields {...fields} presets={choices.presets} />
            <RunFields {...fields} />
            <RuleFields {...fields} />
        </PreviewedForm>
    );
}
