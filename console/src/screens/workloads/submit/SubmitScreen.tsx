import { Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
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
import { useChoices } from './choices';
import { bodyOf, draftLike, emptyDraft, wrongIn, type Draft } from './draft';
import { PlaceFields } from './PlaceFields';
import { RuleFields } from './RuleFields';
import { RunFields } from './RunFields';
import { SizeFields } from './SizeFields';
import { verdictOf } from './verdict';
import { buttonOf, VerdictView } from './VerdictView';

const words = text.workloads.form;
const PAUSE_MS = 250;

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
    const [draft, setDraft] = useState(begin);
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const client = useQueryClient();
    const navigate = useNavigate();
    const choices = useChoices(draft.workspace, draft.quota);

    const body = useMemo(() => bodyOf(draft), [draft]);
    const [asked] = useDebouncedValue(body, PAUSE_MS);
    const key = useMemo(newKey, [body]);
    const local = useMemo(() => wrongIn(draft), [draft]);
    const isSound = Object.keys(local).length === 0;
    const preview = useQuery({
        ...workloads.preview(asked),
        enabled: isSound,
        placeholderData: keepPreviousData,
    });
    const isOld = asked !== body || preview.isPlaceholderData || !isSound;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);

    const onDraft = (change: Partial<Draft>) => {
        setRefusal(undefined);
        setDraft(before => ({ ...before, ...change }));
    };
    const submit = async () => {
        setBusy(true);
        setRefusal(undefined);
        try {
            const made = await workloadChanges.submit(body, key);
            void client.invalidateQueries({ queryKey: ['workloads'] });
            await navigate({ to: '/workloads/$workload', params: { workload: made.metadata.uid } });
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const wrong = (pointer: string) => local[pointer] ?? problem?.at(pointer);
    const fields = { draft, onDraft, wrong };
    const verdict = preview.data && verdictOf(preview.data);
    return (
        <PreviewedForm
            verdict={verdict && <VerdictView verdict={verdict} />}
            kind={verdict?.kind}
            problem={problem}
            shown={SHOWN}
            isOld={isOld}
            isBusy={isBusy}
            button={buttonOf(verdict)}
            onSubmit={() => void submit()}
        >
            <PlaceFields {...fields} workspaces={choices.workspaces} quotas={choices.quotas} />
            <SizeFields {...fields} presets={choices.presets} />
            <RunFields {...fields} />
            <RuleFields {...fields} />
        </PreviewedForm>
    );
}
