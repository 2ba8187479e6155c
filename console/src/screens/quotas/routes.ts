import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { SPANS, type Span } from '../../api/queries/series';
import { appRoute } from '../../routes';
import { isTab, type Tab } from './tabs';

export interface QuotasSearch {
    /** Part of a name. */
    find?: string;
    /** Names of quotas whose children are hidden. */
    closed?: string[];
}

const quotasRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/quotas',
    validateSearch: (search): QuotasSearch => ({
        find: typeof search.find === 'string' && search.find !== '' ? search.find : undefined,
        closed: Array.isArray(search.closed)
            ? search.closed.filter(one => typeof one === 'string')
            : undefined,
    }),
    component: lazyRouteComponent(() => import('./QuotasScreen'), 'QuotasScreen'),
});

export interface QuotaSearch {
    tab?: Tab;
    /** How far back the charts look. */
    span?: Span;
}

const quotaRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/quotas/$name',
    validateSearch: (search): QuotaSearch => ({
        tab: isTab(search.tab) ? search.tab : undefined,
        span: typeof search.span === 'string' && search.span in SPANS ? (search.span as Span) : undefined,
    }),
    component: lazyRouteComponent(() => import('./QuotaScreen'), 'QuotaScreen'),
});

export const quotaRoutes = [quotasRoute, quotaRoute] as const;
