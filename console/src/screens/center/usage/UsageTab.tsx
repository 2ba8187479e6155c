import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { series, SPANS, type Span } from '../../../api/queries/series';
import { workspaces } from '../../../api/queries/workspaces';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { Facts } from '../../../ui/Facts';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { SeriesChart } from '../../../ui/SeriesChart';
import type { Column } from '../../../ui/table';
import { ShareBar } from './ShareBar';

const words = text.center.usage;
type Usage = Schema<'Usage'>;

interface Props {
    room: string;
    span: Span;
    onSpan(span: Span): void;
}

/** What the workspace uses: now, by whom and where, and over time. */
export function UsageTab({ room, span, onSpan }: Props) {
    const { data, error, refetch } = useQuery(workspaces.usage(room));
    const chart = useQuery(series.workspace(room, span));
    if (data === undefined) {
        if (!error) return <Skeleton height={240} />;
        return <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />;
    }
    const { total } = data;
    const names = words.columns;
    return (
        <>
            <Section title={words.total}>
                <Facts
                    facts={[
                        [names.drawn, figure(total.drawn)],
                        [names.requested, figure(total.requested)],
                        [names.running, figure(total.running)],
                        [names.queued, figure(total.queued)],
                        [names.borrowed, figure(total.borrowed)],
                        [names.lent, figure(total.lent)],
                    ]}
                />
            </Section>
            <Section title={words.users}>
                <DataTable
                    label={words.users}
                    columns={[
                        {
                            id: 'user',
                            header: names.user,
                            cell: one => <strong>{one.user ?? words.others}</strong>,
                        },
                        ...columns(data.users),
                    ]}
                    rows={data.users}
                    rowKey={one => one.user ?? ''}
                    empty={
                        <Text size="sm" c="dimmed">
                            {words.empty}
                        </Text>
                    }
                />
            </Section>
            <Section title={words.quotas}>
                <DataTable
                    label={words.quotas}
                    columns={[
                        { id: 'quota', header: names.quota, cell: one => <strong>{one.quota}</strong> },
                        ...columns(data.quotas),
                    ]}
                    rows={data.quotas}
                    rowKey={one => one.quota}
                />
            </Section>
            <Section
                title={words.over}
                actions={
                    <SegmentedControl
                        size="xs"
                        aria-label={words.span}
                        value={span}
                        onChange={value => onSpan(value as Span)}
                        data={(Object.keys(SPANS) as Span[]).map(value => ({
                            value,
                            label: words.spans[value],
                        }))}
                    />
                }
            >
                <ProblemAlert problem={chart.error && Problem.from(chart.error)} />
                {chart.data && <SeriesChart series={chart.data} lines={LINES} />}
            </Section>
        </>
    );
}

const LINES = [
    { metric: 'drawn', label: words.lines.drawn, color: '--tide-own' },
    { metric: 'requested', label: words.lines.requested, color: '--tide-queued', dash: true },
    { metric: 'borrowed', label: words.lines.borrowed, color: '--tide-borrowed' },
] as const;

function columns<Row extends Usage>(rows: readonly Row[]): Column<Row>[] {
    const names = words.columns;
    const most = Math.max(1, ...rows.map(row => row.requested), ...rows.map(row => row.drawn));
    const count = (id: 'requested' | 'running' | 'queued' | 'borrowed'): Column<Row> => ({
        id,
        header: names[id],
        align: 'right',
        cell: row => figure(row[id]),
    });
    return [
        {
            id: 'drawn',
            header: names.drawn,
            width: '34%',
            cell: row => <ShareBar drawn={row.drawn} requested={row.requested} most={most} />,
        },
        count('requested'),
        count('running'),
        count('queued'),
        count('borrowed'),
    ];
}
