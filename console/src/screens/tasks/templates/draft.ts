import type { Template, TemplateSpec } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { joinCommand, splitCommand } from '../../workloads/submit/command';
import { readPairs, writePairs } from '../../workloads/submit/pairs';

/** As inputs of numbers have it: empty until something is typed. */
type Typed = number | string;

/** What stands in the form. */
export interface Draft {
    name: string;
    /** Whose it is; empty: everybody's. */
    room: string;
    description: string;
    command: string;
    env: string;
    gpu: Typed;
    cpu: Typed;
    memory: string;
    models: readonly string[];
    maxRunTime: string;
    retries: Typed;
    outputLimit: string;
    filesLimit: string;
    /** Warm workers that wait; empty: each task is a process of its own. */
    workers: Typed;
    /** What else is said of them, which the form leaves as it is. */
    warm: TemplateSpec['warm'];
    schema: string;
    aliases: string;
}

export const emptyDraft: Draft = {
    name: '',
    room: '',
    description: '',
    command: '',
    env: '',
    gpu: '',
    cpu: '',
    memory: '',
    models: [],
    maxRunTime: '',
    retries: '',
    outputLimit: '',
    filesLimit: '',
    workers: '',
    warm: undefined,
    schema: '',
    aliases: '',
};

const said = (value: string | number | null | undefined) => (value == null ? '' : String(value));

/** The form as a template has it. */
export function draftOf({ metadata, spec }: Template): Draft {
    const aliases = Object.entries(spec.aliases ?? {}).map(([name, version]) => [name, String(version)]);
    return {
        name: metadata.name,
        room: spec.workspace ?? '',
        description: spec.description ?? '',
        command: joinCommand(spec.command ?? []),
        env: writePairs(spec.env),
        gpu: spec.resources?.gpu ?? '',
        cpu: spec.resources?.cpu ?? '',
        memory: said(spec.resources?.memory),
        models: spec.gpuModels ?? [],
        maxRunTime: spec.maxRunTime ?? '',
        retries: spec.retries ?? '',
        outputLimit: said(spec.outputLimit),
        filesLimit: said(spec.filesLimit),
        workers: spec.warm?.workers ?? '',
        warm: spec.warm,
        schema: spec.inputSchema == null ? '' : JSON.stringify(spec.inputSchema, null, 2),
        aliases: writePairs(Object.fromEntries(aliases)),
    };
}

const number = (typed: Typed) => (typed === '' ? undefined : Number(typed));
const word = (typed: string) => (typed.trim() === '' ? undefined : typed.trim());

/** What is typed as JSON; `undefined`: nothing, or no JSON. */
export function parsed(typed: string): unknown {
    try {
        return typed.trim() === '' ? undefined : (JSON.parse(typed) as unknown);
    } catch {
        return undefined;
    }
}

/** Only what was said: everything else is the server's to choose. */
export function specOf(draft: Draft): TemplateSpec {
    const { words: command } = splitCommand(draft.command);
    const { pairs: env } = readPairs(draft.env);
    const aliases = Object.entries(readPairs(draft.aliases).pairs).map(([name, version]) => [
        name,
        Number(version),
    ]);
    const workers = number(draft.workers);
    const resources = { gpu: number(draft.gpu), cpu: number(draft.cpu), memory: word(draft.memory) };
    const spec: TemplateSpec = {
        workspace: word(draft.room),
        description: word(draft.description),
        command: command.length > 0 ? command : undefined,
        env: Object.keys(env).length > 0 ? env : undefined,
        resources: Object.values(resources).some(one => one !== undefined) ? resources : undefined,
        gpuModels: draft.models.length > 0 ? [...draft.models] : undefined,
        maxRunTime: word(draft.maxRunTime),
        retries: number(draft.retries),
        outputLimit: word(draft.outputLimit),
        filesLimit: word(draft.filesLimit),
        warm: workers === undefined || workers === 0 ? undefined : { ...draft.warm, workers },
        inputSchema: parsed(draft.schema) as TemplateSpec['inputSchema'],
        aliases: aliases.length > 0 ? (Object.fromEntries(aliases) as Record<string, number>) : undefined,
    };
    // Without what is `undefined`, so that what means the same is the same.
    return JSON.parse(JSON.stringify(spec)) as TemplateSpec;
}

/** What is wrong before it can be sent, by the JSON pointer of the field; all else the server says. */
export function wrongIn(draft: Draft): Record<string, string> {
    const lines = text.workloads.form.wrong;
    const words = text.templates.form;
    const wrong: Record<string, string> = {};
    if (splitCommand(draft.command).isOpen) wrong['/spec/command'] = lines.quote;
    const env = readPairs(draft.env).wrong;
    if (env !== undefined) wrong['/spec/env'] = lines.line(env);
    if (draft.schema.trim() !== '' && parsed(draft.schema) === undefined)
        wrong['/spec/inputSchema'] = words.notJson;
    const { pairs, wrong: line } = readPairs(draft.aliases);
    if (line !== undefined || Object.values(pairs).some(version => !/^\s*\d+\s*$/.test(version)))
        wrong['/spec/aliases'] = words.notVersions;
    return wrong;
}
