import { useEffect, useRef, useState } from 'react';
import { Problem } from '../../../api/problem';
import { SseReader } from '../../../api/sse';
import type { Schema } from '../../../api/client';
import { fromBase64, Lines, type Line } from './lines';

/** So many lines are kept on the page, and so many are asked for at first. */
export const MOST_LINES = 5_000;
const FIRST_LINES = 1_000;
const PAUSE_MS = 1_500;
/** What is written in bursts is shown at most so often. */
const SHOW_MS = 100;

export interface Output {
    lines: readonly Line[];
    state: 'following' | 'over' | 'lost';
    problem?: Problem;
    dropped: number;
}

/** What a workload writes, as it writes it. A lost connection goes on where it was. */
export function useOutput(uid: string, replica: number | undefined): Output {
    const [output, setOutput] = useState<Output>({ lines: [], state: 'following', dropped: 0 });
    const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
    useEffect(() => {
        const stopped = new AbortController();
        const lines = new Lines(MOST_LINES);
        const places = new Map<number, string>();
        const show = (state: Output['state'], problem?: Problem) => {
            clearTimeout(timer.current);
            timer.current = undefined;
            if (!stopped.signal.aborted)
                setOutput({ lines: lines.list(), state, problem, dropped: lines.dropped });
        };
        show('following');
        const take = (piece: Schema<'Output'>) => {
            lines.add(piece.replica, fromBase64(piece.bytes));
            places.set(piece.replica, piece.at);
            timer.current ??= setTimeout(() => show('following'), SHOW_MS);
        };
        void follow(uid, replica, places, take, show, stopped.signal);
        return () => {
            stopped.abort();
            clearTimeout(timer.current);
            timer.current = undefined;
        };
    }, [uid, replica]);
    return output;
}

async function follow(
    uid: string,
    replica: number | undefined,
    places: ReadonlyMap<number, string>,
    take: (piece: Schema<'Output'>) => void,
    show: (state: Output['state'], problem?: Problem) => void,
    signal: AbortSignal,
): Promise<void> {
    while (!signal.aborted) {
        try {
            const query = new URLSearchParams({ follow: 'true' });
            if (replica !== undefined) query.set('replica', String(replica));
            if (places.size === 0) query.set('tail', String(FIRST_LINES));
            else query.set('after', [...places.values()].join(','));
            const response = await fetch(`/api/v1/workloads/${encodeURIComponent(uid)}/logs?${query}`, {
                headers: { Accept: 'text/event-stream' },
                credentials: 'same-origin',
                signal,
            });
            if (!response.ok || !response.body) {
                const body: unknown = await response.json().catch(() => undefined);
                const isRefused = response.status < 500 && response.status !== 429;
                show(isRefused ? 'over' : 'lost', Problem.of(response.status, body));
                if (isRefused) return;
            } else if (await isRead(response.body, take)) return show('over');
        } catch {
            if (signal.aborted) return;
        }
        show('lost');
        await new Promise(done => setTimeout(done, PAUSE_MS));
    }
}

/** Reads until nothing comes; whether that is because all is said. */
async function isRead(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    take: (piece: Schema<'Output'>) => void,
): Promise<boolean> {
    const reader = new SseReader();
    const pieces = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
        const { done, value } = await pieces.read();
        if (done) return false;
        for (const frame of reader.push(value)) {
            if (frame.event === 'end') return true;
            if (frame.event === 'output') take(JSON.parse(frame.data) as Schema<'Output'>);
        }
    }
}
