import {
    createRootRouteWithContext,
    createRoute,
    lazyRouteComponent,
    redirect,
    retainSearchParams,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { Problem } from './api/problem';
import { session } from './api/queries/session';
import { Frame } from './session/Frame';
import { NotFound, RouteError } from './ui/RouteError';

/** The routes that all others stand on. Screens add theirs below `appRoute`, in router.ts. */
export const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
    notFoundComponent: NotFound,
    errorComponent: RouteError,
});

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const loginRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/login',
    validateSearch: (search): { next?: string; expired?: boolean } => ({
        // Only ways inside: nobody is led elsewhere after logging in.
        next: text(search.next)?.match(/^\/(?![/\\]).*/)?.[0],
        expired: search.expired === true ? true : undefined,
    }),
    component: lazyRouteComponent(() => import('./session/LoginPage'), 'LoginPage'),
});

export const invitationRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./session/InvitationPage'), 'InvitationPage'),
});

/** Whoever is here is known; everybody else is sent to log in, and comes back. */
export const appRoute = createRoute({
    getParentRoute: () => rootRoute,
    id: 'app',
    validateSearch: (search): { ws?: string } => ({ ws: text(search.ws) }),
    search: { middlewares: [retainSearchParams(['ws'])] },
    component: Frame,
    notFoundComponent: NotFound,
    errorComponent: RouteError,
    beforeLoad: async ({ context, location }) => {
        try {
            await context.client.ensureQueryData(session.whoami());
        } catch (thrown) {
            if (!Problem.from(thrown).isUnauthenticated) throw thrown;
            throw redirect({
                to: '/login',
                search: { next: location.href === '/' ? undefined : location.href },
            });
        }
    },
});

export const profileRoute = createRoute({
    getParentRoute: () => appRoute,
    path: '/profile',
    component: lazyRouteComponent(() => import('./session/ProfilePage'), 'ProfilePage'),
});
