import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '../client';

/** GPUs, or an amount by model or dimension. */
export type SimAmount = number | Record<string, number>;

/** An event of a simulated run; which fields it has depends on the word. Times are seconds. */
export interface SimEvent {
    at: number;
    event: string;
    workload?: string;
    quota?: string;
    node?: string;
    queue?: string;
    reasons?: string[];
    replicas?: number;
    draws?: Record<string, SimAmount>;
    class?: string;
    /** Who it was for; of `overdrawn`, how much. */
    by?: string | SimAmount;
    rule?: string;
    why?: string;
    from?: SimAmount;
    to?: SimAmount;
    guarantee?: SimAmount;
    set?: Record<string, string>;
    on?: string;
    reason?: string;
    command?: string;
    hint?: string;
    restart?: number;
    restarts?: number;
    state?: string;
    position?: number | null;
    nodes?: string[];
    would?: SimEvent[];
    books?: SimBook[];
    evicted?: { at: number; by?: string; rule: string; policyOf?: string; why: string };
}

/** The account of one quota. */
export interface SimBook {
    quota: string;
    parent: string | null;
    guarantee: SimAmount;
    share: SimAmount;
    drawn: Record<string, SimAmount>;
    held: SimAmount;
    balance: SimAmount;
    queued: number;
    overdrawn: boolean;
}

export interface Run {
    events: SimEvent[];
    final: { books: SimBook[]; workloads: Record<string, { state: string; preemptions: number }> };
}

export const simulations = {
    run: (scenario: string, fromServer: boolean) =>
        queryOptions({
            queryKey: ['simulations', 'run', scenario, fromServer],
            // The same text runs the same way; from the present state it is asked anew.
            staleTime: fromServer ? 0 : Infinity,
            gcTime: 10_000,
            refetchOnWindowFocus: false,
            queryFn: async ({ signal }) => {
                const body = { scenario, fromServer };
                // The document leaves the shape of events open.
                return (await ask(api.POST('/api/v1/simulations', { body, signal }))) as unknown as Run;
            },
        }),
};
