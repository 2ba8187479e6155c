import { Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Problem } from '../../../api/problem';
import { workloadChanges, workloads } from '../../../api/queries/workloads';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { useChoices } from './choices';
import { bodyOf, draftLike, emptyDraft, wrongIn, type Draft } from './draft';
import { PlaceFields } from './PlaceFields';
import { PreviewPanel } from './PreviewPanel';
import { RuleFields } from './RuleFields';
import { RunFields } from './RunFields';
import { SizeFields } from './SizeFields';
import styles from './Submit.module.css';

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
    return (
        <form
            className={styles.layout}
            onSubmit={event => {
                event.preventDefault();
                if (preview.data && !isOld && !problem) void submit();
            }}
        >
            <div className={styles.form}>
                <PlaceFields {...fields} workspaces={choices.workspaces} quotas={choices.quotas} />
                <SizeFields {...fields} presets={choices.presets} />
                <RunFields {...fields} />
                <RuleFields {...fields} />
            </div>
            <PreviewPanel
                would={preview.data}
                problem={problem}
                shown={SHOWN}
                isOld={isOld}
                isBusy={isBusy}
                onSubmit={() => void submit()}
            />
        </form>
    );
}

/** A key for one submission of one body: the same body is sent again with the same key. */
function newKey(): string {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
        byte.toString(16).padStart(2, '0'),
    ).join('');
}
