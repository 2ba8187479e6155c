import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { SPANS, type Span } from '../../api/queries/series';
import type { Node } from '../../api/queries/supply';
import { appRoute } from '../../routes';

export type NodeState = Node['status']['state'];
export const NODE_STATES: readonly NodeState[] = ['ready', 'cordoned', 'lost'];

export interface NodesSearch {
    /** Part of a name, a model, or the name of what runs there. */
    find?: string;
    pool?: string;
    state?: NodeState;
    sort?: string;
}

const word = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const nodesRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/nodes',
    validateSearch: (search): NodesSearch => ({
        find: word(search.find),
        pool: word(search.pool),
        state: NODE_STATES.find(one => one === search.state),
        sort: word(search.sort),
    }),
    component: lazyRouteComponent(() => import('./NodesScreen'), 'NodesScreen'),
});

const nodeRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/nodes/$name',
    validateSearch: (search): { span?: Span } => ({
        span: Object.keys(SPANS).find((one): one is Span => one === search.span),
    }),
    component: lazyRouteComponent(() => import('./NodeScreen'), 'NodeScreen'),
});

export const nodeRoutes = [nodesRoute, nodeRoute] as const;
