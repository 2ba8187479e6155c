import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../routes';
import { auditSearch } from '../audit/model';

const words = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const layout = createRoute({
    getParentRoute: () => appRoute,
    path: '/administration',
    component: lazyRouteComponent(() => import('./AdministrationScreen'), 'AdministrationScreen'),
});

const index = createRoute({
    getParentRoute: () => layout,
    path: '/',
    component: lazyRouteComponent(() => import('./AdministrationScreen'), 'FirstSection'),
});

const users = createRoute({
    getParentRoute: () => layout,
    path: '/users',
    validateSearch: (search): { find?: string } => ({ find: words(search.find) }),
    component: lazyRouteComponent(() => import('./users/UsersSection'), 'UsersSection'),
});

const roles = createRoute({
    getParentRoute: () => layout,
    path: '/roles',
    component: lazyRouteComponent(() => import('./roles/RolesSection'), 'RolesSection'),
});

const workspaces = createRoute({
    getParentRoute: () => layout,
    path: '/workspaces',
    component: lazyRouteComponent(() => import('./workspaces/WorkspacesSection'), 'WorkspacesSection'),
});

const accounts = createRoute({
    getParentRoute: () => layout,
    path: '/accounts',
    component: lazyRouteComponent(() => import('./accounts/AccountsSection'), 'AccountsSection'),
});

const webhooks = createRoute({
    getParentRoute: () => layout,
    path: '/webhooks',
    validateSearch: (search): { room?: string; hook?: string; dead?: boolean } => ({
        room: words(search.room),
        hook: words(search.hook),
        dead: search.dead === true ? true : undefined,
    }),
    component: lazyRouteComponent(() => import('./webhooks/WebhooksSection'), 'WebhooksSection'),
});

const tokens = createRoute({
    getParentRoute: () => layout,
    path: '/tokens',
    validateSearch: (search): { user?: string } => ({ user: words(search.user) }),
    component: lazyRouteComponent(() => import('./tokens/TokensSection'), 'TokensSection'),
});

const audit = createRoute({
    getParentRoute: () => layout,
    path: '/audit',
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('./AuditSection'), 'AuditSection'),
});

export const administrationRoutes = [
    layout.addChildren([index, users, roles, workspaces, accounts, webhooks, tokens, audit]),
] as const;
