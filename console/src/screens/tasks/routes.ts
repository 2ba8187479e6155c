import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { TaskState } from '../../api/queries/tasks';
import { appRoute } from '../../routes';
import { text as words } from '../../texts';

/** A word, or a number that somebody took for one: addresses do not tell them apart. */
const text = (value: unknown) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
const oneOf = <Word extends string>(value: unknown, known: Record<Word, unknown>): Word | undefined =>
    typeof value === 'string' && Object.hasOwn(known, value) ? (value as Word) : undefined;

export interface TasksSearch {
    state?: TaskState;
    template?: string;
    /** How the name begins. */
    find?: string;
}

const list = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks',
    validateSearch: (search): TasksSearch => ({
        state: oneOf(search.state, words.tasks.states),
        template: text(search.template),
        find: text(search.find),
    }),
    component: lazyRouteComponent(() => import('./list/TasksScreen'), 'TasksScreen'),
});

export interface RunSearch {
    template?: string;
    /** A number, or an alias; the latest if absent. */
    version?: string;
    /** The id of a task to begin with a copy of. */
    like?: string;
    /** Where it shall run; shared compute if absent. */
    config?: string;
}

const run = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/new',
    validateSearch: (search): RunSearch => ({
        template: text(search.template),
        version: text(search.version),
        like: text(search.like),
        config: text(search.config),
    }),
    component: lazyRouteComponent(() => import('./run/RunScreen'), 'RunScreen'),
});

const one = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/$task',
    component: lazyRouteComponent(() => import('./detail/TaskScreen'), 'TaskScreen'),
});

const templates = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/templates',
    validateSearch: (search): { find?: string } => ({ find: text(search.find) }),
    component: lazyRouteComponent(() => import('./templates/TemplatesScreen'), 'TemplatesScreen'),
});

const newTemplate = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/templates/new',
    component: lazyRouteComponent(() => import('./templates/NewTemplateScreen'), 'NewTemplateScreen'),
});

export interface TemplateSearch {
    /** Whose, where several workspaces have one of this name. */
    room?: string;
    version?: string;
}

const template = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/templates/$template',
    validateSearch: (search): TemplateSearch => ({ room: text(search.room), version: text(search.version) }),
    component: lazyRouteComponent(() => import('./templates/TemplateScreen'), 'TemplateScreen'),
});

const editTemplate = createRoute({
    getParentRoute: () => appRoute,
    path: '/tasks/templates/$template/edit',
    validateSearch: (search): TemplateSearch => ({ room: text(search.room), version: text(search.version) }),
    component: lazyRouteComponent(() => import('./templates/EditTemplateScreen'), 'EditTemplateScreen'),
});

export const taskRoutes = [list, run, one, templates, newTemplate, template, editTemplate] as const;
