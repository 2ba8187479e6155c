import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../routes';

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

export const quotaRoutes = [quotasRoute] as const;
