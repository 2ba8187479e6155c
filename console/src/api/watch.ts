import type { Event } from './client';
import { SseReader } from './sse';

/** `lost`: for longer than a moment. People are told only then. */
export type Connection = 'connecting' | 'live' | 'lost';

export interface WatchOptions {
    /** Something happened. */
    onEvents(events: Event[]): void;
    /** Whatever was read before may be old: at first, and when too much was missed. */
    onGap(): void;
    onConnection(state: Connection): void;
    /** The session is over. */
    onDenied(): void;
}

/** The server sends something at least every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
const LOST_AFTER_MS = 3_000;

/** The one watch of the console. It heals itself: from the last event that was seen, or anew if that is too old. */
export class Watch {
    private lastId: string | undefined;
    private readonly stopped = new AbortController();
    private lostTimer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly options: WatchOptions) {
        this.options.onConnection('connecting');
        void this.run();
    }

    stop(): void {
        this.stopped.abort();
        clearTimeout(this.lostTimer);
    }

    private async run(): Promise<void> {
        let pause = FIRST_PAUSE_MS;
        while (!this.stopped.signal.aborted) {
            const wasLive = await this.connect();
            if (this.stopped.signal.aborted) return;
            pause = wasLive ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
            this.lostTimer ??= setTimeout(() => this.options.onConnection('lost'), LOST_AFTER_MS);
            await sleep(pause * (0.75 + Math.random() / 2), this.stopped.signal);
        }
    }

    /** Stays until the connection ends. Whether there was one. */
    private async connect(): Promise<boolean> {
        const silence = new AbortController();
        const signal = AbortSignal.any([this.stopped.signal, silence.signal]);
        let timer = setTimeout(() => silence.abort(), SILENCE_MS);
        const heard = () => {
            clearTimeout(timer);
            timer = setTimeout(() => silence.abort(), SILENCE_MS);
        };
        try {
            const headers: Record<string, string> =
                this.lastId === undefined ? {} : { 'Last-Event-ID': this.lastId };
            const response = await fetch('/api/v1/watch', { headers, signal, credentials: 'same-origin' });
            if (response.status === 410) this.lastId = undefined;
            if (response.status === 401) {
                this.stop();
                this.options.onDenied();
            }
            if (!response.ok || !response.body) return response.status === 410;
            this.opened();
            const reader = new SseReader();
            const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
            for (;;) {
                const { done, value } = await pieces.read();
                if (done) return true;
                heard();
                this.take(reader.push(value));
            }
        } catch {
            return false;
        } finally {
            clearTimeout(timer);
        }
    }

    private opened(): void {
        clearTimeout(this.lostTimer);
        this.lostTimer = undefined;
        if (this.lastId === undefined) this.options.onGap();
        this.options.onConnection('live');
    }

    private take(frames: ReturnType<SseReader['push']>): void {
        const events: Event[] = [];
        for (const frame of frames) {
            if (frame.event === 'expired') {
                this.lastId = undefined;
                continue;
            }
            if (frame.id !== undefined) this.lastId = frame.id;
            events.push(JSON.parse(frame.data) as Event);
        }
        if (events.length > 0) this.options.onEvents(events);
    }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        });
    });
}
