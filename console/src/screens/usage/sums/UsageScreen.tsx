import { Button, MultiSelect, SegmentedControl, Skeleton, Text, Tooltip } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { exportAddress, metering } from '../../../api/queries/metering';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { StackChart } from '../../../ui/StackChart';
import { BudgetStrip } from '../budgets/BudgetStrip';
import { PeriodFields } from '../PeriodFields';
import { rangeOf } from '../period';
import { filterOf, GROUPS, groupsOf, KINDS, type Kind, type UsageSearch } from '../search';
import styles from '../Usage.module.css';
import { UsageNav } from '../UsageNav';
import { WhoseFields } from '../WhoseFields';
import { drawn, stackOf } from './stack';
import { SumsTable } from './SumsTable';

const words = text.usage;

/** What was used, over time and in all, told apart as one likes. */
export function UsageScreen() {
    const search = useSearch({ from: '/app/usage' });
    const navigate = useNavigate({ from: '/usage' });
    const workspace = useWorkspace();
    const groups = groupsOf(search.by);
    const kind = search.kind ?? 'gpu';
    const filter = filterOf(search, workspace);
    const { period, from, to } = search;
    const { step } = rangeOf(search, Date.now());
    const groupBy = groups.filter(group => group !== 'resource').join(',');
    const range = () => {
        const { from, to } = rangeOf(search, Date.now());
        return { from, to };
    };
    const { data, error, refetch } = useQuery({
        ...metering.sums({ period, from, to }, filter, groupBy, range, step),
        placeholderData: keepPreviousData,
    });
    const stack = useMemo(
        () => data && stackOf(data, step, groupsOf(search.by), kind),
        [data, step, search.by, kind],
    );
    const layers = useMemo(() => stack && drawn(stack), [stack]);
    const narrow = (change: UsageSearch) =>
        void navigate({ search: before => ({ ...before, ...change }), replace: true, resetScroll: false });
    return (
        <Page title={words.title} about={words.about}>
            <UsageNav />
            <div className={styles.filters} role="search" aria-label={text.common.filters.label}>
                <PeriodFields search={search} hasSteps onSearch={narrow} />
                <MultiSelect
                    label={words.groupBy}
                    miw={160}
                    data={GROUPS.map(value => ({ value, label: words.groups[value] }))}
                    value={groups}
                    onChange={by => narrow({ by: by.length === 0 ? undefined : by.join(',') })}
                />
                <WhoseFields search={search} onSearch={narrow} />
                <Tooltip label={words.exportHint}>
                    <Button
                        size="sm"
                        component="a"
                        variant="default"
                        className={styles.export}
                        href={exportAddress('usage', { ...filter, ...range(), groupBy, step })}
                        download="usage.csv"
                    >
                        {words.exportSums}
                    </Button>
                </Tooltip>
            </div>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {stack === undefined || layers === undefined ? (
                !error && <Skeleton height={320} />
            ) : (
                <>
                    <Section
                        title={words.over(words.unit[kind], words.period.steps[step] ?? step)}
                        actions={
                            <SegmentedControl
                                size="xs"
                                aria-label={words.resource.label}
                                value={kind}
                                onChange={value =>
                                    narrow({ kind: value === 'gpu' ? undefined : (value as Kind) })
                                }
                                data={KINDS.map(value => ({ value, label: words.resource[value] }))}
                            />
                        }
                    >
                        {stack.layers.length === 0 ? (
                            <EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>
                        ) : (
                            <StackChart times={stack.times} stepS={stack.stepS} layers={layers} />
                        )}
                    </Section>
                    <BudgetStrip />
                    {stack.layers.length > 0 && (
                        <Section
                            title={words.sums}
                            actions={
                                <Text size="sm" c="dimmed">
                                    {words.asOf}
                                </Text>
                            }
                        >
                            <SumsTable stack={stack} groups={groups} unit={words.unit[kind]} />
                        </Section>
                    )}
                </>
            )}
        </Page>
    );
}
