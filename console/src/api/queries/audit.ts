import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, ask, type Schema } from '../client';

export type AuditEntry = Schema<'AuditEntry'>;
export type AuditList = Schema<'AuditList'>;

/** What of the audit is wanted; times are RFC 3339. */
export interface AuditFilter {
    user?: string;
    operation?: string;
    workspace?: string;
    from?: string;
    to?: string;
}

/** Where the audit is read: all of it, or one room's. */
export function auditPath(room: string | undefined): string {
    return room === undefined ? '/api/v1/audit' : `/api/v1/workspaces/${encodeURIComponent(room)}/audit`;
}

/** The address of all that the filter lets through, as lines of JSON. */
export function auditExport(room: string | undefined, filter: AuditFilter): string {
    const query = new URLSearchParams({ format: 'jsonl' });
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
    return `${auditPath(room)}?${query.toString()}`;
}

const PAGE = 100;
/** A page that is asked for with filters may be empty and have a next one: so many are read at once. */
const MOST_EMPTY = 20;

export const audit = {
    /** Of one room; without one, of the platform. */
    pages: (room: string | undefined, filter: AuditFilter) =>
        infiniteQueryOptions({
            queryKey: ['audit', 'pages', room, filter],
            initialPageParam: undefined as string | undefined,
            getNextPageParam: (last: AuditList) => last.nextPageToken ?? undefined,
            queryFn: async ({ pageParam, signal }) => {
                let pageToken = pageParam;
                for (let empty = 0; ; empty += 1) {
                    const query = { ...filter, limit: PAGE, pageToken };
                    // An entry alone is only in the answer to `format=jsonl`.
                    const page = (await (room === undefined
                        ? ask(api.GET('/api/v1/audit', { params: { query }, signal }))
                        : ask(
                              api.GET('/api/v1/workspaces/{name}/audit', {
                                  params: { path: { name: room }, query },
                                  signal,
                              }),
                          ))) as AuditList;
                    const isLast = page.nextPageToken == null;
                    if (page.items.length > 0 || isLast || empty >= MOST_EMPTY) return page;
                    pageToken = page.nextPageToken ?? undefined;
                }
            },
        }),
};
