import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { StackPlotProps } from './StackPlot';

const StackPlot = lazy(() => import('./StackPlot').then(module => ({ default: module.StackPlot })));

/** Amounts of equal spans of time, one upon the other. The plotting library comes only when a chart is looked at. */
export function StackChart(props: StackPlotProps) {
    return (
        <Suspense fallback={<Skeleton height={props.height ?? 260} />}>
            <StackPlot {...props} />
        </Suspense>
    );
}
