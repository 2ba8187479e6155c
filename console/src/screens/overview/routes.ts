import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { SPANS, type Span } from '../../api/queries/series';
import { appRoute } from '../../routes';

export interface OverviewSearch {
    /** How far back the chart looks; an hour if absent. */
    span?: Span;
}

const overviewRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/',
    validateSearch: (search): OverviewSearch => ({
        span: Object.keys(SPANS).find((one): one is Span => one === search.span),
    }),
    component: lazyRouteComponent(() => import('./OverviewScreen'), 'OverviewScreen'),
});

export const overviewRoutes = [overviewRoute] as const;
