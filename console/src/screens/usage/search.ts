import type { UsageFilter } from '../../api/queries/metering';
import { text as words } from '../../texts';
import { periodSearch, type PeriodSearch } from './period';

/** Which use is meant, as it stands in the URL. The workspace is the one of the whole console. */
export interface FilterSearch {
    user?: string;
    quota?: string;
    mode?: string;
    class?: string;
    module?: string;
}

export const GROUPS = [
    'workspace',
    'user',
    'quota',
    'lender',
    'mode',
    'module',
    'class',
    'resource',
] as const;
export type Group = (typeof GROUPS)[number];
export const KINDS = ['gpu', 'cpu', 'memory'] as const;
export type Kind = (typeof KINDS)[number];

export type UsageSearch = PeriodSearch & FilterSearch & { by?: string; kind?: Kind };
export type RecordsSearch = PeriodSearch & FilterSearch & { workload?: string };

const text = (value: unknown) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
const oneOf = (value: unknown, known: Record<string, unknown>) =>
    typeof value === 'string' && Object.hasOwn(known, value) ? value : undefined;

export function filterSearch(search: Record<string, unknown>): FilterSearch {
    return {
        user: text(search.user),
        quota: text(search.quota),
        mode: oneOf(search.mode, words.usage.modes),
        class: oneOf(search.class, words.usage.classes),
        module: oneOf(search.module, words.usage.modules),
    };
}

/** The dimensions that are told apart, known ones only, as the URL has them: `workspace,user`. */
export function groupsOf(by: string | undefined): Group[] {
    const asked = by?.split(',') ?? [];
    const known = GROUPS.filter(group => asked.includes(group));
    return known.length > 0 ? known : ['workspace'];
}

export function usageSearch(search: Record<string, unknown>): UsageSearch {
    const by = groupsOf(text(search.by)).join(',');
    return {
        ...periodSearch(search),
        ...filterSearch(search),
        by: by === 'workspace' ? undefined : by,
        kind: KINDS.find(one => one === search.kind),
    };
}

export function recordsSearch(search: Record<string, unknown>): RecordsSearch {
    return { ...periodSearch(search), ...filterSearch(search), workload: text(search.workload) };
}

/** As the API wants it. */
export function filterOf(search: FilterSearch, workspace: string | undefined): UsageFilter {
    const { user, quota, mode, module } = search;
    return { workspace, user, quota, mode, class: search.class, module };
}

export const NO_FILTER: FilterSearch = {
    user: undefined,
    quota: undefined,
    mode: undefined,
    class: undefined,
    module: undefined,
};
