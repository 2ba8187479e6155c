import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Problem } from '../../../api/problem';
import { workloads, type Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { WorkloadStateBadge } from '../../../ui/WorkloadStateBadge';
import type { WorkloadTab } from '../routes';
import { whyLine } from '../why';
import { ActionBar } from './ActionBar';
import styles from './Detail.module.css';
import { EventsTab } from './EventsTab';
import { LogsTab } from './LogsTab';
import { MonitoringTab } from './MonitoringTab';
import { OverviewTab } from './OverviewTab';
import { SpecTab } from './SpecTab';

const words = text.workloads.detail;

const CONTENTS: Record<WorkloadTab, ComponentType<{ workload: Workload }>> = {
    overview: OverviewTab,
    monitoring: MonitoringTab,
    logs: LogsTab,
    events: EventsTab,
    spec: SpecTab,
};

/** One workload: what it does, why, since when; and what one can do about it. */
export function WorkloadScreen() {
    const { workload: name } = useParams({ from: '/app/workloads/$workload' });
    const { tab = 'overview' } = useSearch({ from: '/app/workloads/$workload' });
    const navigate = useNavigate({ from: '/workloads/$workload' });
    const Content = CONTENTS[tab];
    const { data: workload, error, refetch } = useQuery(workloads.one(name));
    const title = (
        <span className={styles.title}>
            {workload?.metadata.name ?? name}
            {workload && <WorkloadStateBadge state={workload.status.state} />}
        </span>
    );
    return (
        <Page
            title={title}
            about={workload && whyLine(workload)}
            actions={
                <>
                    <ButtonLink to="/workloads" variant="default">
                        {words.back}
                    </ButtonLink>
                    {workload && <ActionBar workload={workload} />}
                </>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {workload === undefined ? (
                !error && <Skeleton height={320} />
            ) : (
                <Tabs
                    value={tab}
                    keepMounted={false}
                    onChange={next =>
                        void navigate({
                            search: before => ({ ...before, tab: next as WorkloadTab }),
                            replace: true,
                        })
                    }
                >
                    <Tabs.List className={styles.tabs} aria-label={workload.metadata.name}>
                        {Object.entries(words.tabs).map(([value, label]) => (
                            <Tabs.Tab key={value} value={value}>
                                {label}
                            </Tabs.Tab>
                        ))}
                    </Tabs.List>
                    <Tabs.Panel value={tab} pt="md">
                        <Content workload={workload} />
                    </Tabs.Panel>
                </Tabs>
            )}
        </Page>
    );
}
