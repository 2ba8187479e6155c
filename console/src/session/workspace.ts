import { useSearch } from '@tanstack/react-router';

/** The workspace that lists are narrowed to; `undefined`: all that one may see. */
export function useWorkspace(): string | undefined {
    return useSearch({ from: '/app' }).ws;
}
