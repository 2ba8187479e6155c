import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Problem } from '../../api/problem';
import type { Quota } from '../../api/queries/quotas';
import { series, SPANS, type Span } from '../../api/queries/series';
import { text } from '../../texts';
import { Section } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { SeriesChart } from '../../ui/SeriesChart';

const words = text.quotas.monitoring;

const GPUS = [
    { metric: 'guarantee', label: words.guarantee, color: '--tide-muted', dash: true },
    { metric: 'drawn', label: words.drawn, color: '--tide-own' },
    { metric: 'lent', label: words.lent, color: '--tide-lent' },
] as const;

const WORK = [
    { metric: 'running', label: words.running, color: '--tide-own' },
    { metric: 'queued', label: words.queued, color: '--tide-warn' },
] as const;

/** The tide over time. */
export function MonitoringTab({ quota }: { quota: Quota }) {
    const { span = 'hour' } = useSearch({ from: '/app/quotas/$name' });
    const navigate = useNavigate({ from: '/quotas/$name' });
    const { data, error } = useQuery(series.quota(quota.metadata.name, span));
    return (
        <Stack>
            <SegmentedControl
                aria-label={words.span}
                w="fit-content"
                size="xs"
                value={span}
                onChange={next =>
                    void navigate({ search: before => ({ ...before, span: next as Span }), replace: true })
                }
                data={(Object.keys(SPANS) as Span[]).map(one => ({ value: one, label: words.spans[one] }))}
            />
            <ProblemAlert problem={error && Problem.from(error)} />
            {data && (
                <>
                    <Section title={words.gpus}>
                        <SeriesChart series={data} lines={GPUS} />
                    </Section>
                    <Section title={words.work}>
                        <SeriesChart series={data} lines={WORK} />
                    </Section>
                </>
            )}
        </Stack>
    );
}
