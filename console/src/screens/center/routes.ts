import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { SPANS, type Span } from '../../api/queries/series';
import { appRoute } from '../../routes';
import { auditSearch, type AuditSearch } from '../audit/model';

export const TABS = ['rules', 'members', 'usage', 'audit'] as const;
export type Tab = (typeof TABS)[number];

export interface CenterSearch extends AuditSearch {
    /** The first if absent. */
    tab?: Tab;
    /** The quota whose rules are shown. */
    quota?: string;
    /** How far back the chart looks. */
    span?: Span;
}

const centerRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/center',
    validateSearch: (search): CenterSearch => ({
        tab: TABS.find(tab => tab === search.tab),
        quota: typeof search.quota === 'string' && search.quota !== '' ? search.quota : undefined,
        span: typeof search.span === 'string' && search.span in SPANS ? (search.span as Span) : undefined,
        ...auditSearch(search),
    }),
    component: lazyRouteComponent(() => import('./CenterScreen'), 'CenterScreen'),
});

export const centerRoutes = [centerRoute] as const;
