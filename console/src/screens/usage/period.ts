import type { Range } from '../../api/queries/metering';
import { durationMs } from '../../ui/duration';

/** A period as it stands in the URL. Times of one's own are as the browser's field has them: local. */
export interface PeriodSearch {
    period?: Period;
    from?: string;
    to?: string;
    step?: string;
}

export const PERIODS = ['hour', 'day', 'week', 'month', 'lastMonth', 'custom'] as const;
export type Period = (typeof PERIODS)[number];

const STEP: Record<Exclude<Period, 'custom'>, string> = {
    hour: '1m',
    day: '1h',
    week: '6h',
    month: '1d',
    lastMonth: '1d',
};
/** Bars of a chart: more cannot be told apart. */
const MOST_BARS = 120;
const STEPS = ['1m', '5m', '1h', '6h', '1d', '7d'] as const;

const time = (value: unknown) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

export function periodSearch(search: Record<string, unknown>): PeriodSearch {
    const period = PERIODS.find(one => one === search.period);
    return {
        period,
        from: period === 'custom' ? time(search.from) : undefined,
        to: period === 'custom' ? time(search.to) : undefined,
        step: STEPS.find(one => one === search.step),
    };
}

/** The first instant of a month, counted from that of `now`, in UTC as statements are. */
export function monthStart(now: number, back: number): number {
    const date = new Date(now);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1);
}

const iso = (ms: number) => new Date(ms).toISOString();

/** From when to when, and in which steps a chart shows it. Parts of a period that moves begin at full steps. */
export function rangeOf(search: PeriodSearch, now: number): Range & { step: string } {
    const { period = 'day' } = search;
    switch (period) {
        case 'month':
            return { from: iso(monthStart(now, 0)), step: search.step ?? STEP.month };
        case 'lastMonth':
            return {
                from: iso(monthStart(now, 1)),
                to: iso(monthStart(now, 0)),
                step: search.step ?? STEP.lastMonth,
            };
        case 'custom': {
            const from = search.from === undefined ? now - durationMs('1d') : Date.parse(search.from);
            const to = search.to === undefined ? undefined : Date.parse(search.to);
            return {
                from: iso(from),
                to: to === undefined ? undefined : iso(Math.max(to, from + 1)),
                step: search.step ?? fitting((to ?? now) - from),
            };
        }
        default: {
            const step = search.step ?? STEP[period];
            const length = { hour: durationMs('1h'), day: durationMs('1d'), week: durationMs('7d') }[period];
            const each = durationMs(step);
            return { from: iso(Math.floor((now - length) / each) * each + each), step };
        }
    }
}

/** The shortest step that leaves a chart readable. */
export function fitting(lengthMs: number): string {
    return STEPS.find(step => lengthMs / durationMs(step) <= MOST_BARS) ?? '7d';
}

/** Steps to choose from for a period. */
export function stepsFor(search: PeriodSearch, now: number): string[] {
    const { from, to } = rangeOf(search, now);
    const length = (to === undefined ? now : Date.parse(to)) - Date.parse(from);
    const fits = STEPS.filter(step => {
        const bars = length / durationMs(step);
        return bars <= MOST_BARS && bars >= 2;
    });
    const { step } = rangeOf(search, now);
    return fits.includes(step as (typeof STEPS)[number]) ? fits : [step, ...fits];
}
