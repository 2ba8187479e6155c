import { text } from '../texts';

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
    ['year', 31_536_000],
    ['month', 2_592_000],
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
];
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** `3 min. ago`, `in 2 days`. */
export function relative(at: number, now: number): string {
    const seconds = Math.round((at - now) / 1000);
    if (Math.abs(seconds) < 2) return text.common.time.now;
    const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
    return relativeFormat.format(Math.trunc(seconds / size), unit);
}

export function exact(at: number): string {
    return exactFormat.format(at);
}

const instantFormat = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
});

/** `15 Nov, 20:14:03`: to the second, where times are compared. */
export function instant(at: number): string {
    return instantFormat.format(at);
}

const minuteFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** `15 Nov 2026, 20:14`. */
export function minute(at: number): string {
    return minuteFormat.format(at);
}

/** As the browser's fields have it: local, to the minute. */
export function local(at: number): string {
    const date = new Date(at);
    return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A length of time, the two largest units: `2d 3h`. */
export function span(ms: number): string {
    const seconds = Math.max(0, Math.round(ms / 1000));
    const parts: [number, string][] = [
        [Math.floor(seconds / 86_400), 'd'],
        [Math.floor(seconds / 3_600) % 24, 'h'],
        [Math.floor(seconds / 60) % 60, 'm'],
        [seconds % 60, 's'],
    ];
    const first = parts.findIndex(([count]) => count > 0);
    if (first < 0) return '0s';
    const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
    return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
