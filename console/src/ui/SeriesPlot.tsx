import { Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from '../api/queries/series';
import { text } from '../texts';
import { bytes, figure } from './amounts';
import { durationMs } from './duration';
import { instants, moment, resolveColor } from './plotting';

export interface SeriesPlotProps {
    series: Series;
    /** Which figures, in this order, with the name of a CSS variable as color. */
    lines: readonly { metric: string; label: string; color: string; dash?: boolean }[];
    height?: number;
}

/** Draws a series. Colors come from the theme, so it is drawn again when that changes. */
export function SeriesPlot({ series, lines, height = 200 }: SeriesPlotProps) {
    const place = useRef<HTMLDivElement>(null);
    const scheme = useComputedColorScheme('light');
    const data = useMemo(() => toData(series, lines), [series, lines]);
    useEffect(() => {
        const element = place.current;
        if (!element) return undefined;
        const color = (name: string) => resolveColor(element, name);
        const axis = {
            stroke: color('--tide-muted'),
            grid: { stroke: color('--tide-line'), width: 1 },
            ticks: { show: false },
        };
        const options: uPlot.Options = {
            width: element.clientWidth || 600,
            height,
            axes: [
                { ...axis, values: instants },
                {
                    ...axis,
                    size: 64,
                    values: (_: uPlot, values: number[]) =>
                        values.map(value => shown(value, unitOf(series, lines[0]?.metric))),
                },
            ],
            cursor: { drag: { x: false, y: false } },
            scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
            series: [
                {
                    value: (_: uPlot, time: number | null) =>
                        time === null ? text.common.chart.now : moment(time),
                },
                ...lines.map(line => ({
                    label: line.label,
                    stroke: color(line.color),
                    width: 1.6,
                    dash: line.dash ? [5, 4] : undefined,
                    points: { show: false },
                    // While nobody points at an instant, the legend tells the latest.
                    value: (_: uPlot, value: number | null, __: number, at: number | null) =>
                        at === null
                            ? latestOf(series, line.metric)
                            : shown(value, unitOf(series, line.metric)),
                })),
            ],
        };
        const plot = new uPlot(options, data, element);
        const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
        observer.observe(element);
        return () => {
            observer.disconnect();
            plot.destroy();
        };
    }, [data, lines, height, scheme]);
    const isEmpty = data
        .slice(1)
        .every(values => Array.from(values as ArrayLike<number | null>).every(value => value === null));
    return (
        <div>
            {isEmpty && (
                <Text size="sm" c="dimmed">
                    {text.common.chart.empty}
                </Text>
            )}
            <div ref={place} role="img" aria-label={latest(series, lines)} />
        </div>
    );
}

function toData(series: Series, lines: SeriesPlotProps['lines']): uPlot.AlignedData {
    const from = Date.parse(series.from) / 1000;
    const step = durationMs(series.step) / 1000;
    const length = Math.max(0, ...Object.values(series.metrics).map(metric => metric.values.length));
    const times = Array.from({ length }, (_, index) => from + index * step);
    return [times, ...lines.map(line => series.metrics[line.metric]?.values ?? times.map(() => null))];
}

/** For whoever cannot see the picture. */
function latest(series: Series, lines: SeriesPlotProps['lines']): string {
    return lines.map(line => text.common.chart.latest(line.label, latestOf(series, line.metric))).join(', ');
}

const unitOf = (series: Series, metric: string | undefined) => series.metrics[metric ?? '']?.unit;

function shown(value: number | null | undefined, unit: string | undefined): string {
    if (value == null) return '–';
    return unit === 'bytes' ? bytes(value) : figure(value);
}

function latestOf(series: Series, metric: string): string {
    return shown(
        series.metrics[metric]?.values.findLast(one => one !== null),
        unitOf(series, metric),
    );
}
