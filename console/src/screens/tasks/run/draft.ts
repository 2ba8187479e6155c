import type { NewTask, Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { readPairs, writePairs } from '../../workloads/submit/pairs';

/** What stands in the form beside the template, which stands in the address. */
export interface Draft {
    name: string;
    workspace: string | null;
    /** Where it runs; `null`: shared compute. */
    config: string | null;
    inputs: unknown;
    /** Inputs are typed as JSON, not in fields. */
    isJson: boolean;
    /** What is typed as JSON is none. */
    isBroken: boolean;
    visibility: 'public' | 'private';
    labels: string;
    duration: string;
}

export const emptyDraft: Draft = {
    name: '',
    workspace: null,
    config: null,
    inputs: undefined,
    isJson: false,
    isBroken: false,
    visibility: 'public',
    labels: '',
    duration: '',
};

/** The form as it was filled in for a task that is there; its name is taken. */
export function draftLike(task: Task): Partial<Draft> {
    return { workspace: task.workspace, inputs: task.inputs ?? undefined, labels: writePairs(task.labels) };
}

const word = (typed: string) => (typed.trim() === '' ? undefined : typed.trim());

/** Only what was said: everything else is the server's to choose. */
export function bodyOf(draft: Draft, template: string, version: string | undefined): NewTask {
    const { pairs: labels } = readPairs(draft.labels);
    const duration = word(draft.duration);
    const body: NewTask = {
        template: version === undefined ? template : `${template}@${version}`,
        name: word(draft.name),
        workspace: draft.workspace ?? undefined,
        inputs: draft.inputs,
        labels: Object.keys(labels).length > 0 ? labels : undefined,
        visibility: draft.visibility === 'public' ? undefined : draft.visibility,
        virtual: duration === undefined ? undefined : { duration },
    };
    // Without what is `undefined`, so that what means the same is the same.
    return JSON.parse(JSON.stringify(body)) as NewTask;
}

/** What is wrong before it can be sent, by the JSON pointer of the field; all else the server says. */
export function wrongIn(draft: Draft): Record<string, string> {
    const wrong: Record<string, string> = {};
    const labels = readPairs(draft.labels).wrong;
    if (labels !== undefined) wrong['/labels'] = text.workloads.form.wrong.line(labels);
    if (draft.isJson && draft.isBroken) wrong['/inputs'] = text.tasks.form.notJson;
    return wrong;
}
