import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DryRun } from '../../../api/client';
import type { Asked } from '../../../api/queries/quotas';
import { templateChanges, templates, type Template } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { FormConflict } from '../../../ui/FormConflict';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { usePreviewedChange } from '../../../ui/usePreviewedChange';
import { draftOf, specOf, wrongIn, type Draft } from './draft';
import { SchemaFields } from './SchemaFields';
import { TemplateFields } from './TemplateFields';

const words = text.templates.form;

interface Props {
    begin: Draft;
    /** What is changed; `undefined`: a new one is made. */
    before?: Template;
}

/** A template as it shall be, beside what that makes of it. */
export function TemplateForm({ begin, before }: Props) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const [base, setBase] = useState(before);
    const send = (one: Wanted, query: Asked) =>
        base
            ? templateChanges.set(one.name, base.metadata.version, one.spec, query)
            : templateChanges.create(one.name, one.spec, query);
    const { fields, wanted, would, form, forget } = usePreviewedChange({
        begin,
        wantedOf,
        wrongIn,
        key: ['templates', 'preview', base?.metadata.version],
        preview: one => send(one, { dryRun: true }) as Promise<DryRun>,
        apply: async one => {
            const made = (await send(one, { dryRun: false })) as Template;
            await client.invalidateQueries({ queryKey: ['templates'] });
            await navigate({
                to: '/tasks/templates/$template',
                params: { template: made.metadata.name },
                search: { room: made.spec.workspace ?? undefined },
            });
        },
    });
    const isStale = form.problem?.isStale === true && base !== undefined;
    const now = useQuery({
        ...templates.one(base?.metadata.name ?? '', base?.spec.workspace ?? undefined),
        enabled: isStale,
        staleTime: 0,
    });
    const next = (would?.result as unknown as Template | undefined)?.status.latest;
    const isSame = base !== undefined && next === base.status.latest;
    const parts = { ...fields, isKnown: base !== undefined };
    return (
        <>
            <PreviewedForm
                {...form}
                verdict={
                    wanted === undefined ? (
                        <Verdict>{words.first}</Verdict>
                    ) : (
                        next !== undefined && (
                            <Outcome next={next} base={base} isSame={isSame} room={wanted.spec.workspace} />
                        )
                    )
                }
                kind="quiet"
                problem={isStale ? undefined : form.problem}
                shown={['/metadata', '/spec']}
                button={
                    base === undefined
                        ? words.submit
                        : isSame
                          ? words.submitSame
                          : words.submitVersion(next ?? base.status.latest + 1)
                }
            >
                <TemplateFields {...parts} />
                <SchemaFields {...parts} />
            </PreviewedForm>
            <FormConflict
                isStale={isStale}
                before={base}
                now={now}
                mine={wanted?.spec}
                onClose={forget}
                onGoOn={(theirs, isMine) => {
                    setBase(theirs);
                    forget();
                    if (!isMine) fields.onDraft(draftOf(theirs));
                }}
            />
        </>
    );
}

interface Wanted {
    name: string;
    spec: ReturnType<typeof specOf>;
}

function wantedOf(draft: Draft): Wanted | undefined {
    const name = draft.name.trim();
    return name === '' ? undefined : { name, spec: specOf(draft) };
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
