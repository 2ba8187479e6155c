/** What is told of: parts of a budget, in percent. */
export const THRESHOLDS = [50, 80, 100] as const;

export type Level = 'calm' | 'near' | 'over';

/** How it stands: from 80 percent on it is nearly spent. */
export function levelOf(percent: number): Level {
    return percent >= 100 ? 'over' : percent >= 80 ? 'near' : 'calm';
}

/** Where a part stands on a bar, in percent of its length: more than all of a budget makes the bar longer, not wider. */
export function placeOf(percent: number, spent: number): number {
    return (100 * percent) / Math.max(100, spent);
}

/** What part of an amount is spent, to a tenth of a percent; `undefined`: one of them is no number. */
export function percentOf(spent: string, amount: string): number | undefined {
    const part = Math.floor((1000 * Number(spent)) / Number(amount)) / 10;
    return Number.isFinite(part) && amount.trim() !== '' ? part : undefined;
}

/** As near as two labels may stand, in percent of the bar. */
const NEAR = 18;

/** Whether a mark has room for its label: far beyond a budget its marks come together, and the later one counts. */
export function hasLabel(threshold: number, spent: number): boolean {
    const next = THRESHOLDS.find(one => one > threshold);
    return next === undefined || placeOf(next, spent) - placeOf(threshold, spent) >= NEAR;
}
