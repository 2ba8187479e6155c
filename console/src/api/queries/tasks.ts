import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type DryRun, type Schema } from '../client';
import type { Asked } from './quotas';

export type Task = Schema<'Task'>;
export type TaskState = Schema<'TaskState'>;
export type TaskResult = Schema<'TaskResult'>;
/** Inputs may be any JSON, whatever the generated type says of them. */
export type NewTask = Omit<Schema<'NewTask'>, 'inputs'> & { inputs?: unknown };
export type Template = Schema<'Template'>;
export type TemplateSpec = Schema<'TemplateSpec'>;

/** The list's own filters, as the API has them. */
export interface TaskFilter {
    state?: TaskState;
    template?: string;
    workspace?: string;
    name?: string;
    label?: string;
}

const PAGE = 200;

/** What has ended gives back nothing more. */
export const hasEnded = (state: TaskState) => state !== 'waiting' && state !== 'running';

/** Everything that is read of tasks. One is asked for by its id: names are used again. */
export const tasks = {
    page: (filter: TaskFilter, pageToken: string | undefined) =>
        queryOptions({
            queryKey: ['tasks', 'page', filter, pageToken],
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/tasks', {
                        params: { query: { ...filter, limit: PAGE, pageToken } },
                        signal,
                    }),
                ),
            gcTime: 5_000,
        }),
    one: (name: string) =>
        queryOptions({
            queryKey: ['tasks', 'one', name],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/tasks/{name}', { params: { path: { name } }, signal })),
        }),
    result: (id: string) =>
        queryOptions({
            queryKey: ['tasks', 'one', id, 'result'],
            queryFn: ({ signal }) =>
                ask(api.GET('/api/v1/tasks/{name}/result', { params: { path: { name: id } }, signal })),
        }),
};

function post(
    body: NewTask,
    config: string | undefined,
    asked: Asked & { key?: string },
    signal?: AbortSignal,
) {
    const header = { 'X-Tidegate-Resource-Config': config, 'Idempotency-Key': asked.key };
    return ask(
        api.POST('/api/v1/tasks', {
            params: { query: { dryRun: asked.dryRun }, header },
            body: body as Schema<'NewTask'>,
            signal,
        }),
    );
}

export const taskChanges = {
    /** What running it would do now. */
    preview: (body: NewTask, config: string | undefined, signal: AbortSignal) =>
        post(body, config, { dryRun: true }, signal) as Promise<DryRun>,
    /** With a key of one's own, a retry after a lost answer runs nothing twice. */
    run: (body: NewTask, config: string | undefined, key: string) =>
        post(body, config, { dryRun: false, key }) as Promise<Task>,
    cancel: (name: string, query: Asked) =>
        ask(api.POST('/api/v1/tasks/{name}:cancel', { params: { path: { name }, query } })),
};

/** The address of a file that a task left. */
export function fileAddress(id: string, path: string): string {
    return `/api/v1/tasks/${encodeURIComponent(id)}/file?${new URLSearchParams({ path }).toString()}`;
}

/** Templates are the workspace's own, or everybody's: `room` says whose, where names are used twice. */
export const templates = {
    list: (workspace?: string) =>
        queryOptions({
            queryKey: ['templates', 'list', workspace],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/templates', {
                            params: { query: { workspace, limit: 1000, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
    one: (name: string, workspace?: string, version?: string) =>
        queryOptions({
            queryKey: ['templates', 'one', name, workspace, version],
            queryFn: ({ signal }) =>
                ask(
                    api.GET('/api/v1/templates/{name}', {
                        params: { path: { name }, query: { workspace, version } },
                        signal,
                    }),
                ),
        }),
};

const wanted = (name: string, spec: TemplateSpec): Schema<'NewTemplate'> => ({
    kind: 'Template',
    metadata: { name },
    spec,
});

const ifMatch = (version: string) => ({ 'If-Match': `"${version}"` });

export const templateChanges = {
    create: (name: string, spec: TemplateSpec, query: Asked) =>
        ask(api.POST('/api/v1/templates', { params: { query }, body: wanted(name, spec) })),
    set: (name: string, version: string, spec: TemplateSpec, query: Asked) =>
        ask(
            api.PUT('/api/v1/templates/{name}', {
                params: {
                    path: { name },
                    query: { ...query, workspace: spec.workspace ?? undefined },
                    header: ifMatch(version),
                },
                body: wanted(name, spec),
            }),
        ),
    remove: ({ metadata, spec }: Template, query: Asked) =>
        ask(
            api.DELETE('/api/v1/templates/{name}', {
                params: {
                    path: { name: metadata.name },
                    query: { ...query, workspace: spec.workspace ?? undefined },
                    header: ifMatch(metadata.version),
                },
            }),
        ),
};
