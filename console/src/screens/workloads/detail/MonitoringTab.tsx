import { SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { series, type Series, type Span } from '../../../api/queries/series';
import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { SeriesChart } from '../../../ui/SeriesChart';
import styles from './Detail.module.css';
import { ReplicaSelect } from './ReplicaSelect';

const words = text.workloads.detail.series;

const CHARTS = [
    {
        title: `${words.replicas}, ${words.gpu}`,
        lines: [
            { metric: 'gpu', label: words.gpu, color: '--tide-own' },
            { metric: 'replicas', label: words.replicas, color: '--tide-borrowed', dash: true },
        ],
    },
    { title: words.duty, lines: [{ metric: 'gpuDuty', label: words.duty, color: '--tide-own' }] },
    { title: words.cpu, lines: [{ metric: 'cpu', label: words.cpu, color: '--tide-own' }] },
    { title: words.memory, lines: [{ metric: 'memory', label: words.memory, color: '--tide-own' }] },
    {
        title: words.gpuMemory,
        lines: [{ metric: 'gpuMemory', label: words.gpuMemory, color: '--tide-own' }],
    },
] as const;

/** Its figures over time. What nobody measures is not drawn. */
export function MonitoringTab({ workload }: { workload: Workload }) {
    const { span = 'hour', replica } = useSearch({ from: '/app/workloads/$workload' });
    const navigate = useNavigate({ from: '/workloads/$workload' });
    const { data, error, refetch } = useQuery(series.workload(workload.metadata.uid, span, replica));
    const shown = data ? CHARTS.filter(chart => chart.lines.some(line => isKnown(data, line.metric))) : [];
    return (
        <>
            <div className={styles.bar}>
                <SegmentedControl
                    size="xs"
                    aria-label={words.span}
                    value={span}
                    data={Object.entries(words.spans).map(([value, label]) => ({ value, label }))}
                    onChange={value =>
                        void navigate({
                            search: before => ({ ...before, span: value as Span }),
                            replace: true,
                        })
                    }
                />
                <ReplicaSelect workload={workload} />
            </div>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data && (
                <div className={styles.charts}>
                    {shown.map(chart => (
                        <Section key={chart.title} title={chart.title}>
                            <SeriesChart series={data} lines={chart.lines} />
                        </Section>
                    ))}
                </div>
            )}
            {data && shown.length <= 1 && (
                <Text size="sm" c="dimmed" mt="sm">
                    {words.notMeasured}
                </Text>
            )}
        </>
    );
}

function isKnown({ metrics }: Series, metric: string): boolean {
    // Without any figure at all the first chart says so.
    return metric === 'gpu' || (metrics[metric]?.values.some(value => value != null) ?? false);
}
