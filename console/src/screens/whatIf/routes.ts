import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../routes';

export interface WhatIfSearch {
    /** Where the run begins: with an empty world if absent. */
    from?: 'server';
    /** Only what happens to this workload, quota or node. */
    of?: string;
}

const whatIfRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/what-if',
    validateSearch: (search): WhatIfSearch => ({
        from: search.from === 'server' ? 'server' : undefined,
        of: typeof search.of === 'string' && search.of !== '' ? search.of : undefined,
    }),
    component: lazyRouteComponent(() => import('./WhatIfScreen'), 'WhatIfScreen'),
});

export const whatIfRoutes = [whatIfRoute] as const;
