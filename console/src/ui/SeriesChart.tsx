import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SeriesPlotProps } from './SeriesPlot';

const SeriesPlot = lazy(() => import('./SeriesPlot').then(module => ({ default: module.SeriesPlot })));

/** Figures over time. The plotting library comes only when a chart is looked at. */
export function SeriesChart(props: SeriesPlotProps) {
    return (
        <Suspense fallback={<Skeleton height={props.height ?? 200} />}>
            <SeriesPlot {...props} />
        </Suspense>
    );
}
