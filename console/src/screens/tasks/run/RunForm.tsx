import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { newKey } from '../../../api/idempotency';
import { taskChanges, type Task, type Template } from '../../../api/queries/tasks';
import { PreviewedForm } from '../../../ui/PreviewedForm';
import { usePreviewedChange } from '../../../ui/usePreviewedChange';
import { bodyOf, wrongIn, type Draft } from './draft';
import { InputsSection } from './InputsSection';
import { MoreFields } from './MoreFields';
import { buttonOf, TaskVerdict } from './TaskVerdict';
import { begin as beginInputs, formOf } from './schema';
import { WhatFields } from './WhatFields';

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
    const client = useQueryClient();
    const navigate = useNavigate();
    const { name } = template.metadata;
    const { fields, wanted, would, form } = usePreviewedChange({
        begin: {
            ...begin,
            isJson: properties === undefined,
            inputs: begin.inputs ?? (properties && beginInputs(properties)),
        },
        wantedOf: (draft: Draft) => ({
            body: bodyOf(draft, name, version),
            config: draft.config ?? undefined,
        }),
        wrongIn,
        key: ['tasks', 'preview'],
        preview: ({ body, config }, signal) => taskChanges.preview(body, config, signal),
        apply: async ({ body, config }) => {
            const made = await taskChanges.run(body, config, key);
            void client.invalidateQueries({ queryKey: ['tasks'] });
            await navigate({ to: '/tasks/$task', params: { task: made.id } });
        },
    });
    const key = useMemo(newKey, [wanted]);
    const task = would && (would.result as unknown as Task);
    return (
        <PreviewedForm
            {...form}
            verdict={task && <TaskVerdict task={task} />}
            kind={task && (task.state === 'running' ? 'starts' : 'waits')}
            shown={SHOWN}
            button={buttonOf(task)}
        >
            <WhatFields {...fields} template={template} version={version} />
            <InputsSection {...fields} properties={properties} />
            <MoreFields {...fields} />
        </PreviewedForm>
    );
}
