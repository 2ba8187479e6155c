import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { newKey } from '../../../api/idempotency';
import { Problem } from '../../../api/problem';
import { taskChanges, tasks, type Task, type Template } from '../../../api/queries/tasks';
import { PreviewedForm } from '../../../ui/PreviewedForm';
import { bodyOf, wrongIn, type Draft } from './draft';
import { InputsSection } from './InputsSection';
import { MoreFields } from './MoreFields';
import { buttonOf, TaskVerdict } from './TaskVerdict';
import { begin as beginInputs, formOf } from './schema';
import { WhatFields } from './WhatFields';

const PAUSE_MS = 250;
/** Parts of a body whose fields are in the form: each shows what is wrong with it. */
const SHOWN = ['/name', '/workspace', '/inputs', '/labels', '/virtual', '/visibility'];

interface Props {
    template: Template;
    /** As it was asked for: a number, an alias, or the latest. */
    version: string | undefined;
    begin: Draft;
}

/** The form of one template, beside what would happen. */
export function RunForm({ template, version, begin }: Props) {
    const properties = useMemo(() => formOf(template.spec.inputSchema), [template]);
    const [draft, setDraft] = useState<Draft>(() => ({
        ...begin,
        isJson: properties === undefined,
        inputs: begin.inputs ?? (properties && beginInputs(properties)),
    }));
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const client = useQueryClient();
    const navigate = useNavigate();

    const { name } = template.metadata;
    const body = useMemo(() => bodyOf(draft, name, version), [draft, name, version]);
    const [asked] = useDebouncedValue(body, PAUSE_MS);
    const key = useMemo(newKey, [body, draft.config]);
    const local = useMemo(() => wrongIn(draft), [draft]);
    const isSound = Object.keys(local).length === 0;
    const config = draft.config ?? undefined;
    const preview = useQuery({
        ...tasks.preview(asked, config),
        enabled: isSound,
        placeholderData: keepPreviousData,
    });
    const isOld = asked !== body || preview.isPlaceholderData || !isSound;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);

    const onDraft = (change: Partial<Draft>) => {
        setRefusal(undefined);
        setDraft(before => ({ ...before, ...change }));
    };
    const run = async () => {
        setBusy(true);
        setRefusal(undefined);
        try {
            const made = await taskChanges.run(body, config, key);
            void client.invalidateQueries({ queryKey: ['tasks'] });
            await navigate({ to: '/tasks/$task', params: { task: made.id } });
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const wrong = (pointer: string) => local[pointer] ?? problem?.at(pointer);
    const would = preview.data && (preview.data.result as unknown as Task);
    const fields = { draft, onDraft, wrong };
    return (
        <PreviewedForm
            verdict={would && <TaskVerdict task={would} />}
            kind={would && (would.state === 'running' ? 'starts' : 'waits')}
            problem={problem}
            shown={SHOWN}
            isOld={isOld}
            isBusy={isBusy}
            button={buttonOf(would)}
            onSubmit={() => void run()}
        >
            <WhatFields {...fields} template={template} version={version} />
            <InputsSection {...fields} properties={properties} />
            <MoreFields {...fields} />
        </PreviewedForm>
    );
}
