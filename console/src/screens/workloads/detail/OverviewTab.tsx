import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../api/problem';
import { workloads, type Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import styles from './Detail.module.css';
import { DrawsTable } from './DrawsTable';
import { PlacementTable } from './PlacementTable';
import type { Told } from './timeline';
import { TimelineView } from './TimelineView';
import { WhySection } from './WhySection';
import { WorkloadFacts } from './WorkloadFacts';

const words = text.workloads.detail;

export function OverviewTab({ workload }: { workload: Workload }) {
    const { data: events, error } = useQuery(workloads.events(workload.metadata.uid));
    const { status } = workload;
    return (
        <div className={styles.overview}>
            {(status.overMemory === true || status.overGpu === true) && (
                <Alert color="sand" data-wide>
                    {status.overMemory === true && <div>{words.overMemory}</div>}
                    {status.overGpu === true && <div>{words.overGpu}</div>}
                </Alert>
            )}
            <div data-wide>
                <Section title={words.timeline.title}>
                    <ProblemAlert problem={error && Problem.from(error)} />
                    {events && <TimelineView workload={workload} events={events as Told[]} />}
                </Section>
            </div>
            <div className={styles.column}>
                <WhySection workload={workload} />
                <Section title={words.draws.title}>
                    <DrawsTable draws={status.draws ?? []} />
                </Section>
                <Section title={words.placement.title}>
                    <PlacementTable placements={status.placements ?? []} />
                </Section>
            </div>
            <Section>
                <WorkloadFacts workload={workload} />
            </Section>
        </div>
    );
}
