import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { text } from '../texts';
import { figure } from './amounts';
import { instants, moment, resolveColor } from './plotting';

export interface StackPlotProps {
    /** When each span begins, in seconds; months may be of different lengths. */
    times: readonly number[];
    /** How long a span is; the last one, where they differ. */
    stepS: number;
    /** From the bottom up. `color`: the name of a CSS variable. */
    layers: readonly { label: string; color: string; values: readonly number[] }[];
    height?: number;
    /** What stands below each bar, where that is no time. */
    names?: readonly string[];
    /** How a figure is written. */
    write?(value: number): string;
}

const AXIS_PX = 64;
const NAME_PX = 64;

/** Names below bars, only as many as have room; the latest is always there. */
function spread(names: readonly string[], width: number): string[] {
    const every = Math.max(1, Math.ceil((names.length * NAME_PX) / width));
    return names.map((name, index) => ((names.length - 1 - index) % every === 0 ? name : ''));
}

/** Bars of layers. Colors come from the theme, so it is drawn again when that changes. */
export function StackPlot(props: StackPlotProps) {
    const { times, stepS, layers, height = 260, names, write = figure } = props;
    const place = useRef<HTMLDivElement>(null);
    const scheme = useComputedColorScheme('light');
    useEffect(() => {
        const element = place.current;
        if (!element) return undefined;
        const color = (name: string) => resolveColor(element, name);
        const axis = {
            stroke: color('--tide-muted'),
            grid: { stroke: color('--tide-line'), width: 1 },
            ticks: { show: false },
        };
        // What lies above is drawn first, and the layers below over it.
        const upward = cumulated(layers, times.length);
        const order = layers.map((_, index) => index).reverse();
        const end = (times.at(-1) ?? 0) + stepS;
        const nameOf = (time: number) => names?.[times.indexOf(time)] ?? moment(time);
        const bars = uPlot.paths.bars?.({ align: 1, size: [0.86, 72], radius: 0.04 });
        const options: uPlot.Options = {
            width: element.clientWidth || 600,
            height,
            axes: [
                names
                    ? {
                          ...axis,
                          grid: { show: false },
                          splits: () => times.map(time => time + stepS / 2),
                          values: plot => spread(names, plot.width - AXIS_PX),
                      }
                    : { ...axis, grid: { show: false }, values: instants },
                { ...axis, size: AXIS_PX, values: (_: uPlot, values: number[]) => values.map(write) },
            ],
            cursor: { drag: { x: false, y: false }, points: { show: false } },
            scales: {
                x: { range: () => [times[0] ?? 0, end] },
                y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
            },
            series: [
                {
                    value: (_: uPlot, time: number | null) =>
                        time === null ? text.common.chart.total : nameOf(time),
                },
                ...order.map(index => {
                    const layer = layers[index];
                    return {
                        label: layer?.label ?? '',
                        fill: color(layer?.color ?? '--tide-own'),
                        stroke: color(layer?.color ?? '--tide-own'),
                        width: 0,
                        paths: bars,
                        points: { show: false },
                        value: (_: uPlot, __: number | null, ___: number, at: number | null) =>
                            write(at === null ? sum(layer?.values ?? []) : (layer?.values[at] ?? 0)),
                    };
                }),
            ],
        };
        const data = [times, ...order.map(index => upward[index] ?? [])] as unknown as uPlot.AlignedData;
        const plot = new uPlot(options, data, element);
        const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
        observer.observe(element);
        return () => {
            observer.disconnect();
            plot.destroy();
        };
    }, [times, stepS, layers, height, names, write, scheme]);
    const said = layers.map(layer => text.common.chart.latest(layer.label, write(sum(layer.values))));
    return <div ref={place} role="img" aria-label={said.join(', ')} />;
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

/** Each layer upon those below it. What was taken back leaves no hole. */
function cumulated(layers: StackPlotProps['layers'], length: number): number[][] {
    let below = Array.from({ length }, () => 0);
    return layers.map(({ values }) => {
        below = below.map((height, at) => height + Math.max(0, values[at] ?? 0));
        return below;
    });
}
