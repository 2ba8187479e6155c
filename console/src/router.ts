import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { appRoute, invitationRoute, loginRoute, profileRoute, rootRoute } from './routes';
import { computeRoutes } from './screens/compute/routes';
import { nodeRoutes } from './screens/nodes/routes';
import { administrationRoutes } from './screens/administration/routes';
import { centerRoutes } from './screens/center/routes';
import { overviewRoutes } from './screens/overview/routes';
import { quotaRoutes } from './screens/quotas/routes';
import { taskRoutes } from './screens/tasks/routes';
import { usageRoutes } from './screens/usage/routes';
import { whatIfRoutes } from './screens/whatIf/routes';
import { workloadRoutes } from './screens/workloads/routes';

/** Every address of the console. One line per screen. */
const tree = rootRoute.addChildren([
    loginRoute,
    invitationRoute,
    appRoute.addChildren([
        ...overviewRoutes,
        profileRoute,
        ...quotaRoutes,
        ...workloadRoutes,
        ...taskRoutes,
        ...computeRoutes,
        ...nodeRoutes,
        ...whatIfRoutes,
        ...usageRoutes,
        ...centerRoutes,
        ...administrationRoutes,
    ]),
]);

export function createConsoleRouter(client: QueryClient) {
    return createRouter({
        routeTree: tree,
        context: { client },
        defaultPreload: 'intent',
        defaultPreloadStaleTime: 0,
        scrollRestoration: true,
    });
}

declare module '@tanstack/react-router' {
    interface Register {
        router: ReturnType<typeof createConsoleRouter>;
    }
}
