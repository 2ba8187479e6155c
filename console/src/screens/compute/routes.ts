import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { ConfigState, RequestState } from '../../api/queries/dedicated';
import { appRoute } from '../../routes';
import { text } from '../../texts';
import { askSearch } from './ask/search';

const oneOf = <Word extends string>(value: unknown, known: Record<Word, unknown>): Word | undefined =>
    typeof value === 'string' && Object.hasOwn(known, value) ? (value as Word) : undefined;

const configs = createRoute({
    getParentRoute: () => appRoute,
    path: '/compute',
    validateSearch: (search): { state?: ConfigState } => ({
        state: oneOf(search.state, text.compute.config.states),
    }),
    component: lazyRouteComponent(() => import('./configs/ConfigsScreen'), 'ConfigsScreen'),
});

const config = createRoute({
    getParentRoute: () => appRoute,
    path: '/compute/$config',
    component: lazyRouteComponent(() => import('./configs/ConfigScreen'), 'ConfigScreen'),
});

const requests = createRoute({
    getParentRoute: () => appRoute,
    path: '/compute/requests',
    validateSearch: (search): { state?: RequestState } => ({
        state: oneOf(search.state, text.compute.request.states),
    }),
    component: lazyRouteComponent(() => import('./requests/RequestsScreen'), 'RequestsScreen'),
});

const ask = createRoute({
    getParentRoute: () => appRoute,
    path: '/compute/requests/new',
    validateSearch: askSearch,
    component: lazyRouteComponent(() => import('./ask/AskScreen'), 'AskScreen'),
});

export const computeRoutes = [configs, config, requests, ask] as const;
