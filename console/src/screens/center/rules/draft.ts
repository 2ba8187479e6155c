import type { Schema } from '../../../api/client';
import type { PolicySpec } from '../../../api/queries/workspaces';

export type Module = Schema<'Module'>;
export const MODULES: readonly Module[] = ['training', 'notebook', 'service', 'task'];

/** Whom a line is about: `role/developer`, `member/berta`; empty while nobody is chosen. */
export type Who = string;
/** A figure, or nothing. */
export type Figure = number | '';

export interface Amounts {
    gpu: Figure;
    cpu: Figure;
    memory: string;
}

export interface LimitLine extends Amounts {
    who: Who;
    priorities: string;
}

export interface PriorityLine {
    who: Who;
    priority: number;
}

export interface PresetLine extends Amounts {
    name: string;
    modules: Module[];
}

/** The rules as a form has them: every field is there, and what is empty is not a rule. */
export interface Draft {
    modules: Module[];
    roles: string[];
    maxPriority: PriorityLine[];
    limits: LimitLine[];
    training: { maxRunTime: string; maxWait: string };
    notebook: { maxRunTime: string; maxWait: string; exempt: string[] };
    idle: { isOn: boolean; after: string; cpuPercent: Figure; gpuPercent: Figure };
    presets: PresetLine[];
}

const USUAL_IDLE = { after: '30m', cpuPercent: 5, gpuPercent: 5 };

export function draftOf(spec: PolicySpec): Draft {
    const { notebook, training } = spec;
    return {
        modules: [...(spec.modules ?? MODULES)],
        roles: [...(spec.roles ?? [])],
        maxPriority: (spec.maxPriority ?? []).map(line => ({ who: whoOf(line), priority: line.priority })),
        limits: (spec.limits ?? []).map(line => ({
            who: whoOf(line),
            priorities: line.priorities == null ? '' : String(line.priorities),
            ...amountsOf(line),
        })),
        training: { maxRunTime: training?.maxRunTime ?? '', maxWait: training?.maxWait ?? '' },
        notebook: {
            maxRunTime: notebook?.maxRunTime ?? '',
            maxWait: notebook?.maxWait ?? '',
            exempt: [...(notebook?.exempt ?? [])],
        },
        idle: {
            isOn: notebook?.idle != null,
            after: notebook?.idle?.after ?? USUAL_IDLE.after,
            cpuPercent: notebook?.idle?.cpuPercent ?? USUAL_IDLE.cpuPercent,
            gpuPercent: notebook?.idle?.gpuPercent ?? USUAL_IDLE.gpuPercent,
        },
        presets: (spec.presets ?? []).map(preset => ({
            name: preset.name,
            modules: [...(preset.modules ?? [])],
            ...amountsOf(preset.resources),
        })),
    };
}

/** The rules as the API wants them; the order of lines is kept, so that pointers lead to them. */
export function specOf(draft: Draft): PolicySpec {
    const spec: PolicySpec = {};
    if (draft.modules.length < MODULES.length) spec.modules = draft.modules;
    if (draft.roles.length > 0) spec.roles = draft.roles;
    if (draft.maxPriority.length > 0) {
        spec.maxPriority = draft.maxPriority.map(({ who, priority }) => ({ ...subject(who), priority }));
    }
    if (draft.limits.length > 0) {
        spec.limits = draft.limits.map(line => ({
            ...subject(line.who),
            priorities: line.priorities.trim() || undefined,
            ...amounts(line),
        }));
    }
    const training = filled(draft.training);
    if (training) spec.training = training;
    const { exempt, ...times } = draft.notebook;
    const notebook = { ...filled(times), ...(exempt.length > 0 ? { exempt } : {}), ...idle(draft) };
    if (Object.keys(notebook).length > 0) spec.notebook = notebook;
    if (draft.presets.length > 0) {
        spec.presets = draft.presets.map(preset => ({
            name: preset.name,
            modules: preset.modules.length > 0 ? preset.modules : undefined,
            resources: amounts(preset),
        }));
    }
    return spec;
}

/** Whether two forms ask for the same. */
export function isSame(one: Draft, other: Draft): boolean {
    return JSON.stringify(specOf(one)) === JSON.stringify(specOf(other));
}

export function isFree(spec: PolicySpec): boolean {
    return JSON.stringify(specOf(draftOf(spec))) === '{}';
}

function whoOf(line: { role?: string | null; member?: string | null }): Who {
    if (line.role != null) return `role/${line.role}`;
    return line.member != null ? `member/${line.member}` : '';
}

function subject(who: Who): { role?: string; member?: string } {
    const [kind, ...name] = who.split('/');
    if (kind === 'role') return { role: name.join('/') };
    return kind === 'member' ? { member: name.join('/') } : {};
}

function amountsOf(from: Schema<'ReplicaResources'>): Amounts {
    return {
        gpu: from.gpu ?? '',
        cpu: from.cpu ?? '',
        memory: from.memory == null ? '' : String(from.memory),
    };
}

function amounts({ gpu, cpu, memory }: Amounts): Schema<'ReplicaResources'> {
    return {
        gpu: gpu === '' ? undefined : gpu,
        cpu: cpu === '' ? undefined : cpu,
        memory: memory.trim() || undefined,
    };
}

function filled<Of extends Record<string, string>>(texts: Of): Partial<Of> | undefined {
    const entries = Object.entries(texts).filter(([, value]) => value.trim() !== '');
    return entries.length > 0 ? (Object.fromEntries(entries) as Partial<Of>) : undefined;
}

function idle({ idle: { isOn, after, cpuPercent, gpuPercent } }: Draft): Schema<'NotebookPolicy'> {
    if (!isOn) return {};
    return {
        idle: {
            after,
            cpuPercent: cpuPercent === '' ? undefined : cpuPercent,
            gpuPercent: gpuPercent === '' ? undefined : gpuPercent,
        },
    };
}
