import { queryOptions } from '@tanstack/react-query';
import { api, ask, askAll, type Schema } from '../client';

export type Workload = Schema<'Workload'>;
export type WorkloadState = Schema<'WorkloadState'>;

/** The list's own filters, as the API has them. */
export interface WorkloadFilter {
    state?: WorkloadState;
    quota?: string;
    workspace?: string;
    module?: Schema<'Module'>;
    name?: string;
    label?: string;
}

export const workloads = {
    list: (filter: WorkloadFilter) =>
        queryOptions({
            queryKey: ['workloads', 'list', filter],
            queryFn: ({ signal }) =>
                askAll(pageToken =>
                    ask(
                        api.GET('/api/v1/workloads', {
                            params: { query: { ...filter, limit: 500, pageToken } },
                            signal,
                        }),
                    ),
                ),
        }),
};
