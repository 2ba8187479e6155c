const UNITS: Record<string, number> = {
    ms: 1,
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
    w: 604_800_000,
};

/** A duration of the API (`1h30m`, `15s`) in milliseconds. */
export function durationMs(duration: string): number {
    let sum = 0;
    for (const [, count, unit] of duration.matchAll(/([\d.]+)(ms|[smhdw])/g)) {
        sum += Number(count) * (UNITS[unit ?? ''] ?? 0);
    }
    return sum;
}
