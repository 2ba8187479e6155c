import { Modal, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { DryRun } from '../../../api/client';
import { Problem } from '../../../api/problem';
import type { Asked } from '../../../api/queries/quotas';
import { templateChanges, templates, type Template } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { ConflictView } from '../../../ui/ConflictView';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { draftOf, specOf, wrongIn, type Draft } from './draft';
import { SchemaFields } from './SchemaFields';
import { TemplateFields } from './TemplateFields';

const words = text.templates.form;
const PAUSE_MS = 300;

interface Props {
    begin: Draft;
    /** What is changed; `undefined`: a new one is made. */
    before?: Template;
}

/** A template as it shall be, beside what that makes of it. */
export function TemplateForm({ begin, before }: Props) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const [draft, setDraft] = useState(begin);
    const [base, setBase] = useState(before);
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);

    const name = draft.name.trim();
    const spec = useMemo(() => specOf(draft), [draft]);
    const wanted = useMemo(() => ({ name, spec }), [name, spec]);
    const [asked] = useDebouncedValue(wanted, PAUSE_MS);
    const local = useMemo(() => wrongIn(draft), [draft]);
    const isSound = Object.keys(local).length === 0 && name !== '';
    const send = (one: typeof wanted, query: Asked) =>
        base
            ? templateChanges.set(one.name, base.metadata.version, one.spec, query)
            : templateChanges.create(one.name, one.spec, query);
    const preview = useQuery({
        queryKey: ['templates', 'preview', asked, base?.metadata.version],
        queryFn: () => send(asked, { dryRun: true }) as Promise<DryRun>,
        enabled: isSound && asked.name !== '',
        placeholderData: keepPreviousData,
        gcTime: 10_000,
        retry: false,
    });
    const isOld = asked !== wanted || preview.isPlaceholderData || !isSound;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);
    const isStale = problem?.isStale === true && base !== undefined;
    const now = useQuery({
        ...templates.one(name, base?.spec.workspace ?? undefined),
        enabled: isStale,
        staleTime: 0,
    });

    const save = async () => {
        setBusy(true);
        setRefusal(undefined);
        try {
            const made = (await send(wanted, { dryRun: false })) as Template;
            await client.invalidateQueries({ queryKey: ['templates'] });
            await navigate({
                to: '/tasks/templates/$template',
                params: { template: made.metadata.name },
                search: { room: made.spec.workspace ?? undefined },
            });
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const would = preview.data && (preview.data.result as unknown as Template);
    const next = would?.status.latest;
    const isSame = base !== undefined && next === base.status.latest;
    const fields = {
        draft,
        isKnown: base !== undefined,
        wrong: (pointer: string) => local[pointer] ?? problem?.at(pointer),
        onDraft: (change: Partial<Draft>) => {
            setRefusal(undefined);
            setDraft(all => ({ ...all, ...change }));
        },
    };
    const theirs = now.isFetching ? undefined : now.data;
    return (
        <>
            <PreviewedForm
                verdict={
                    name === '' ? (
                        <Verdict>{words.first}</Verdict>
                    ) : (
                        next !== undefined && (
                            <Outcome next={next} base={base} isSame={isSame} room={spec.workspace} />
                        )
                    )
                }
                kind="quiet"
                problem={isStale ? undefined : problem}
                shown={['/metadata', '/spec']}
                isOld={isOld}
                isBusy={isBusy}
                button={
                    base === undefined
                        ? words.submit
                        : isSame
                          ? words.submitSame
                          : words.submitVersion(next ?? base.status.latest + 1)
                }
                onSubmit={() => void save()}
            >
                <TemplateFields {...fields} />
                <SchemaFields {...fields} />
            </PreviewedForm>
            <Modal opened={isStale} onClose={() => setRefusal(undefined)} title={text.common.conflict.title}>
                <ConflictView
                    before={base?.spec}
                    theirs={theirs?.spec}
                    mine={spec}
                    onTakeTheirs={() => {
                        if (!theirs) return;
                        setBase(theirs);
                        setDraft(draftOf(theirs));
                        setRefusal(undefined);
                    }}
                    onTakeMine={() => {
                        if (theirs) setBase(theirs);
                        setRefusal(undefined);
                    }}
                />
            </Modal>
        </>
    );
}

function Outcome(props: { next: number; base?: Template; isSame: boolean; room?: string | null }) {
    const { next, base, isSame, room } = props;
    const [title, about] =
        base === undefined
            ? [words.first, words.firstAbout(room ?? text.templates.everybody)]
            : isSame
              ? [words.same, words.sameAbout(next)]
              : [words.next(next), words.nextAbout(base.status.latest)];
    return (
        <>
            <Verdict>{title}</Verdict>
            <Text size="sm">{about}</Text>
        </>
    );
}
