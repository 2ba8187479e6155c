import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Event } from './client';
import { Freshness } from './freshness';
import { Watch, type Connection } from './watch';

type Listener = (events: Event[]) => void;

interface Live {
    connection: Connection;
    listen(listener: Listener): () => void;
}

const LiveContext = createContext<Live>({ connection: 'connecting', listen: () => () => undefined });

/** Holds the one watch connection as long as somebody is logged in. */
export function LiveProvider({ onDenied, children }: { onDenied(): void; children: ReactNode }) {
    const client = useQueryClient();
    const [connection, setConnection] = useState<Connection>('connecting');
    const listeners = useRef(new Set<Listener>());
    const denied = useRef(onDenied);
    denied.current = onDenied;
    useEffect(() => {
        const freshness = new Freshness(client);
        const watch = new Watch({
            onEvents: events => {
                freshness.note(events);
                listeners.current.forEach(listener => listener(events));
            },
            onGap: () => freshness.all(),
            onConnection: setConnection,
            onDenied: () => denied.current(),
        });
        return () => watch.stop();
    }, [client]);
    const live = useMemo<Live>(
        () => ({
            connection,
            listen: listener => {
                listeners.current.add(listener);
                return () => listeners.current.delete(listener);
            },
        }),
        [connection],
    );
    return <LiveContext value={live}>{children}</LiveContext>;
}

export function useConnection(): Connection {
    return useContext(LiveContext).connection;
}

/** Calls back with events as they come, in batches as they arrive. Most screens need only their queries. */
export function useEvents(listener: Listener): void {
    const { listen } = useContext(LiveContext);
    const latest = useRef(listener);
    latest.current = listener;
    useEffect(() => listen(events => latest.current(events)), [listen]);
}
