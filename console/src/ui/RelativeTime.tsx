import { useEffect, useReducer } from 'react';
import { exact, relative } from './time';

/** One clock for all times on the screen. */
const tickers = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;

function useClock(): void {
    const [, tick] = useReducer((count: number) => count + 1, 0);
    useEffect(() => {
        tickers.add(tick);
        clock ??= setInterval(() => tickers.forEach(one => one()), 10_000);
        return () => {
            tickers.delete(tick);
            if (tickers.size > 0) return;
            clearInterval(clock);
            clock = undefined;
        };
    }, []);
}

/** A time as people tell it; the exact one on hover and for whoever copies it. */
export function RelativeTime({ at }: { at: string }) {
    useClock();
    const time = Date.parse(at);
    return (
        <time dateTime={at} title={exact(time)}>
            {relative(time, Date.now())}
        </time>
    );
}
