import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { api, ask } from '../../api/client';
import { users } from '../../api/queries/people';
import { quotas } from '../../api/queries/quotas';
import { pools } from '../../api/queries/supply';
import { workspaces } from '../../api/queries/workspaces';
import { doneOf, nextOf, presentOf, type Present } from './steps';

const KEY = 'tidegate.first-steps';
/** The watch tells nothing of users and workspaces: they are asked for while the steps are shown. */
const EVERY_MS = 5_000;
const listeners = new Set<() => void>();

/** Whether anything was ever submitted. */
const anyWorkload = queryOptions({
    queryKey: ['workloads', 'any'],
    queryFn: async ({ signal }) =>
        (await ask(api.GET('/api/v1/workloads', { params: { query: { limit: 1 } }, signal }))).items.length >
        0,
});

/** Whether the steps are over in this browser: done, or dismissed. Then nothing is asked for any more. */
export function useStepsOver(): [boolean, () => void] {
    const isOver = useSyncExternalStore(
        listener => {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
        () => window.localStorage.getItem(KEY) !== null,
    );
    const end = useCallback(() => {
        window.localStorage.setItem(KEY, 'over');
        listeners.forEach(listener => listener());
    }, []);
    return [isOver, end];
}

/** What of the first steps is there; `undefined` until it is known, or when all is done. */
export function useFirstSteps(end: () => void): Present | undefined {
    const pool = useQuery(pools.list());
    const tree = useQuery(quotas.tree());
    const rooms = useQuery({ ...workspaces.list(), refetchInterval: EVERY_MS });
    const people = useQuery({ ...users.list(), refetchInterval: EVERY_MS });
    const work = useQuery(anyWorkload);
    const isKnown = pool.data && tree.data && rooms.data && people.data && work.data !== undefined;
    const present = isKnown
        ? presentOf(pool.data, tree.data.roots, rooms.data, people.data, work.data)
        : undefined;
    const isDone = present !== undefined && nextOf(doneOf(present)) === undefined;
    useEffect(() => {
        if (isDone) end();
    }, [isDone, end]);
    return isDone ? undefined : present;
}
