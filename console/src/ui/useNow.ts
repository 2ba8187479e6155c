import { useEffect, useState } from 'react';

/** The present, told anew every so often; without a period it stands still. */
export function useNow(everyMs: number | undefined): number {
    const [now, setNow] = useState(() => Date.now());
    useEffect(() => {
        setNow(Date.now());
        if (everyMs === undefined) return undefined;
        const timer = setInterval(() => setNow(Date.now()), everyMs);
        return () => clearInterval(timer);
    }, [everyMs]);
    return now;
}
