import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { Module, WorkloadState } from '../../api/queries/workloads';
import { SPANS, type Span } from '../../api/queries/series';
import { appRoute } from '../../routes';
import { text as words } from '../../texts';

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const oneOf = <Word extends string>(value: unknown, known: Record<Word, unknown>): Word | undefined =>
    typeof value === 'string' && Object.hasOwn(known, value) ? (value as Word) : undefined;

export interface WorkloadsSearch {
    state?: WorkloadState;
    module?: Module;
    quota?: string;
    owner?: string;
    /** How the name begins. */
    find?: string;
}

const listRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/workloads',
    validateSearch: (search): WorkloadsSearch => ({
        state: oneOf(search.state, words.workloads.states),
        module: oneOf(search.module, words.workloads.modules),
        quota: text(search.quota),
        owner: text(search.owner),
        find: text(search.find),
    }),
    component: lazyRouteComponent(() => import('./list/WorkloadsScreen'), 'WorkloadsScreen'),
});

export interface SubmitSearch {
    module?: Module;
    /** The uid of a workload to begin with a copy of. */
    like?: string;
    quota?: string;
}

const submitRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/workloads/new',
    validateSearch: (search): SubmitSearch => ({
        module: oneOf(search.module, words.workloads.modules),
        like: text(search.like),
        quota: text(search.quota),
    }),
    component: lazyRouteComponent(() => import('./submit/SubmitScreen'), 'SubmitScreen'),
});

export type WorkloadTab = keyof typeof words.workloads.detail.tabs;

export interface WorkloadSearch {
    tab?: WorkloadTab;
    span?: Span;
    /** The number of one replica, for its output and its figures. */
    replica?: number;
}

const oneRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/workloads/$workload',
    validateSearch: (search): WorkloadSearch => ({
        tab: oneOf(search.tab, words.workloads.detail.tabs),
        span: oneOf(search.span, SPANS),
        replica:
            typeof search.replica === 'number' && Number.isInteger(search.replica)
                ? search.replica
                : undefined,
    }),
    component: lazyRouteComponent(() => import('./detail/WorkloadScreen'), 'WorkloadScreen'),
});

export const workloadRoutes = [listRoute, submitRoute, oneRoute] as const;
