import { QueryClient } from '@tanstack/react-query';
import { Problem } from './problem';

/** Retries what may pass by itself; what the server has refused it would refuse again. */
function retry(failures: number, thrown: unknown): boolean {
    const { status } = Problem.from(thrown);
    return failures < 3 && (status === 0 || status === 429 || status >= 500);
}

export function createQueryClient(): QueryClient {
    return new QueryClient({
        defaultOptions: {
            queries: { staleTime: 5_000, gcTime: 60_000, retry, networkMode: 'always' },
            mutations: { networkMode: 'always' },
        },
    });
}
