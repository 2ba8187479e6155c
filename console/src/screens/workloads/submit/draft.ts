import type { Module, NewWorkload, Workload, WorkloadSpec } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { joinCommand, splitCommand } from './command';
import { readPairs, writePairs } from './pairs';

/** As inputs of numbers have it: empty until something is typed. */
export type Typed = number | string;

export interface Size {
    gpu: Typed;
    cpu: Typed;
    memory: string;
}

export interface Role extends Size {
    name: string;
    replicas: Typed;
}

/** What stands in the form. What is not for the module is kept, and not sent. */
export interface Draft {
    module: Module;
    name: string;
    workspace: string | null;
    quota: string | null;
    priority: Typed;
    hasRoles: boolean;
    replicas: Typed;
    minReplicas: Typed;
    size: Size;
    roles: readonly Role[];
    command: string;
    env: string;
    labels: string;
    workingDir: string;
    readyPath: string;
    idleTimeout: string;
    idle: NonNullable<WorkloadSpec['idle']>;
    maxRunTime: string;
    gracePeriod: string;
    onPreempt: NonNullable<WorkloadSpec['onPreempt']>;
    restarts: Typed;
    suspend: boolean;
    gpuModels: readonly string[];
    visibility: NonNullable<WorkloadSpec['visibility']>;
    duration: string;
}

export const NO_SIZE: Size = { gpu: '', cpu: '', memory: '' };

export const emptyDraft: Draft = {
    module: 'training',
    name: '',
    workspace: null,
    quota: null,
    priority: 1,
    hasRoles: false,
    replicas: 1,
    minReplicas: '',
    size: { ...NO_SIZE, gpu: 1 },
    roles: [
        { ...NO_SIZE, name: 'driver', replicas: 1 },
        { ...NO_SIZE, name: 'worker', replicas: 2, gpu: 1 },
    ],
    command: '',
    env: '',
    labels: '',
    workingDir: '',
    readyPath: '',
    idleTimeout: '',
    idle: 'never',
    maxRunTime: '',
    gracePeriod: '',
    onPreempt: 'requeue',
    restarts: '',
    suspend: false,
    gpuModels: [],
    visibility: 'public',
    duration: '',
};

export const canHaveRoles = (module: Module) => module === 'training';
export const canHaveReplicas = (module: Module) => module === 'training' || module === 'service';
export const isReached = (module: Module) => module === 'notebook' || module === 'service';

const number = (typed: Typed) => (typed === '' ? undefined : Number(typed));
const word = (typed: string) => (typed.trim() === '' ? undefined : typed.trim());

function resources(size: Size) {
    const all = { gpu: number(size.gpu), cpu: number(size.cpu), memory: word(size.memory) };
    return Object.values(all).some(one => one !== undefined) ? all : undefined;
}

/** Only what was said: everything else is the server's to choose. */
export function bodyOf(draft: Draft): NewWorkload {
    const { module } = draft;
    const hasRoles = draft.hasRoles && canHaveRoles(module);
    const { pairs: env } = readPairs(draft.env);
    const { pairs: labels } = readPairs(draft.labels);
    const { words: command } = splitCommand(draft.command);
    const spec: WorkloadSpec = {
        module,
        workspace: draft.workspace ?? undefined,
        quota: draft.quota ?? undefined,
        priority: number(draft.priority),
        replicas: hasRoles || !canHaveReplicas(module) ? undefined : number(draft.replicas),
        minReplicas: hasRoles || !canHaveReplicas(module) ? undefined : number(draft.minReplicas),
        resources: hasRoles ? undefined : resources(draft.size),
        roles: hasRoles
            ? draft.roles.map(role => ({
                  name: role.name.trim(),
                  replicas: number(role.replicas) ?? 1,
                  resources: resources(role),
              }))
            : undefined,
        command: command.length > 0 ? command : undefined,
        env: Object.keys(env).length > 0 ? env : undefined,
        workingDir: word(draft.workingDir),
        readiness: isReached(module) && word(draft.readyPath) ? { path: word(draft.readyPath) } : undefined,
        idleTimeout: module === 'notebook' ? word(draft.idleTimeout) : undefined,
        idle: module === 'training' && draft.idle !== 'never' ? draft.idle : undefined,
        maxRunTime: word(draft.maxRunTime),
        gracePeriod: word(draft.gracePeriod),
        onPreempt: draft.onPreempt === 'requeue' ? undefined : draft.onPreempt,
        restarts: number(draft.restarts),
        suspend: draft.suspend ? true : undefined,
        gpuModels: draft.gpuModels.length > 0 ? [...draft.gpuModels] : undefined,
        visibility: draft.visibility === 'public' ? undefined : draft.visibility,
        virtual: word(draft.duration) ? { duration: word(draft.duration) } : undefined,
    };
    const metadata = {
        name: word(draft.name),
        labels: Object.keys(labels).length > 0 ? labels : undefined,
    };
    return stripped({ metadata, spec });
}

/** Without what is `undefined`, so that what means the same is the same. */
function stripped<Value>(value: Value): Value {
    return JSON.parse(JSON.stringify(value)) as Value;
}

/** What is wrong before it can be sent, by the JSON pointer of the field; all else the server says. */
export function wrongIn(draft: Draft): Record<string, string> {
    const words = text.workloads.form.wrong;
    const wrong: Record<string, string> = {};
    if (splitCommand(draft.command).isOpen) wrong['/spec/command'] = words.quote;
    const env = readPairs(draft.env).wrong;
    if (env !== undefined) wrong['/spec/env'] = words.line(env);
    const labels = readPairs(draft.labels).wrong;
    if (labels !== undefined) wrong['/metadata/labels'] = words.line(labels);
    return wrong;
}

/** GPUs and replicas of all that is asked for. */
export function totalOf(draft: Draft): { gpus: number; replicas: number } {
    if (draft.hasRoles && canHaveRoles(draft.module)) {
        const replicas = draft.roles.reduce((sum, role) => sum + (number(role.replicas) ?? 1), 0);
        const gpus = draft.roles.reduce(
            (sum, role) => sum + (number(role.replicas) ?? 1) * (number(role.gpu) ?? 0),
            0,
        );
        return { gpus, replicas };
    }
    const replicas = canHaveReplicas(draft.module) ? (number(draft.replicas) ?? 1) : 1;
    return { gpus: replicas * (number(draft.size.gpu) ?? 0), replicas };
}

const sizeOf = (
    size: { gpu?: number | null; cpu?: number | null; memory?: unknown } | null | undefined,
): Size => ({
    gpu: size?.gpu ?? '',
    cpu: size?.cpu ?? '',
    memory: size?.memory == null ? '' : String(size.memory),
});

/** The form as it was filled in for something that is there; its name is taken. */
export function draftLike({ spec, status, metadata }: Workload): Draft {
    return {
        ...emptyDraft,
        module: status.module,
        workspace: status.workspace,
        quota: spec.quota ?? null,
        priority: status.priority,
        hasRoles: (spec.roles?.length ?? 0) > 0,
        replicas: spec.replicas ?? 1,
        minReplicas: spec.minReplicas ?? '',
        size: sizeOf(spec.resources),
        roles: spec.roles?.length
            ? spec.roles.map(role => ({
                  ...sizeOf(role.resources),
                  name: role.name,
                  replicas: role.replicas,
              }))
            : emptyDraft.roles,
        command: joinCommand(spec.command ?? []),
        env: writePairs(spec.env),
        labels: writePairs(metadata.labels),
        workingDir: spec.workingDir ?? '',
        readyPath: spec.readiness?.path ?? '',
        idleTimeout: spec.idleTimeout ?? '',
        idle: spec.idle ?? 'never',
        maxRunTime: spec.maxRunTime ?? '',
        gracePeriod: spec.gracePeriod ?? '',
        onPreempt: spec.onPreempt ?? 'requeue',
        restarts: spec.restarts ?? '',
        suspend: spec.suspend ?? false,
        gpuModels: spec.gpuModels ?? [],
        visibility: spec.visibility ?? 'public',
        duration: spec.virtual?.duration ?? '',
    };
}
