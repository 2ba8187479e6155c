import type { UsageReport, UsageSum } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { durationMs } from '../../../ui/duration';
import type { Group, Kind } from '../search';

const words = text.usage;

/** What one part of the people, quotas, ... has used, over time. */
export interface Layer {
    label: string;
    /** The values of the dimensions that are told apart. */
    of: Partial<Record<Group, string>>;
    /** The name of a CSS variable. */
    color: string;
    /** Hours in each step. */
    values: number[];
    total: number;
}

export interface Stack {
    /** When the steps begin, in seconds. */
    times: number[];
    stepS: number;
    layers: Layer[];
    total: number;
}

/** So many have colors of their own; the others are one. */
const COLORS = 7;

export function kindOf(resource: string): Kind {
    return resource === 'cpu' || resource === 'memory' ? resource : 'gpu';
}

/** The sums of a period that was cut into steps: what each group has used, the largest first. */
export function stackOf(report: UsageReport, step: string, groups: readonly Group[], kind: Kind): Stack {
    const [from, to] = [Date.parse(report.from), Date.parse(report.to)];
    const each = durationMs(step);
    const times = Array.from(
        { length: Math.max(1, Math.ceil((to - from) / each)) },
        (_, index) => (from + index * each) / 1000,
    );
    const found = new Map<string, Omit<Layer, 'color'>>();
    for (const item of report.items) {
        // Capacity is held whether it is used or not: work there would be counted twice.
        if (kindOf(item.resource) !== kind || item.kind === 'capacity') continue;
        const of = Object.fromEntries(groups.map(group => [group, valueOf(item, group)]));
        const label = groups.map(group => shown(group, of[group] ?? '')).join(' · ');
        const layer = found.get(label) ?? { label, of, values: times.map(() => 0), total: 0 };
        found.set(label, layer);
        const at = item.from == null ? 0 : Math.floor((Date.parse(item.from) - from) / each);
        layer.values[at] = (layer.values[at] ?? 0) + item.hours;
        layer.total += item.hours;
    }
    const sorted = [...found.values()].sort((a, b) => b.total - a.total || a.label.localeCompare(b.label));
    return {
        times,
        stepS: each / 1000,
        layers: sorted.map((layer, index) => ({ ...layer, color: colorOf(index) })),
        total: sorted.reduce((sum, layer) => sum + layer.total, 0),
    };
}

const colorOf = (index: number) => (index < COLORS ? `--series-${index + 1}` : '--series-other');

/** The layers that are drawn: those with colors of their own, and all others as one. */
export function drawn(stack: Stack): Layer[] {
    const others = stack.layers.slice(COLORS);
    if (others.length === 0) return stack.layers;
    return [
        ...stack.layers.slice(0, COLORS),
        {
            label: words.others,
            of: {},
            color: '--series-other',
            values: stack.times.map((_, at) => others.reduce((sum, one) => sum + (one.values[at] ?? 0), 0)),
            total: others.reduce((sum, one) => sum + one.total, 0),
        },
    ];
}

function valueOf(item: UsageSum, group: Group): string {
    return item[group] ?? '';
}

/** A value as people read it. */
export function shown(group: Group, value: string): string {
    if (group === 'mode') return words.modes[value] ?? value;
    if (group === 'class') return words.classes[value] ?? value;
    if (group === 'module') return words.modules[value] ?? value;
    return value;
}
