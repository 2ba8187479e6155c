import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { workloads, type Explanation, type Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import { evictionLine, whyLine } from '../why';
import styles from './Detail.module.css';

const words = text.workloads.detail.why;

/** Why a workload is where it is: every reason, who is ahead, who had to go, and what would let it start. */
export function WhySection({ workload }: { workload: Workload }) {
    const { state } = workload.status;
    const hasEnded = workload.status.endedAt != null;
    const { data, error } = useQuery({ ...workloads.explain(workload.metadata.uid), enabled: !hasEnded });
    const runs = state === 'running' || state === 'leaving';
    const title = hasEnded ? words.title.ended : runs ? words.title.runs : words.title.waits;
    const line = whyLine(workload);
    return (
        <Section title={title}>
            <div className={styles.why}>
                <ProblemAlert problem={!hasEnded && error ? Problem.from(error) : undefined} />
                {hasEnded ? (
                    <p>
                        <strong>{text.workloads.states[state]}</strong>
                        {line !== '' && `: ${line}`}
                    </p>
                ) : (
                    data && <ExplanationView explanation={data} />
                )}
            </div>
        </Section>
    );
}

type ReasonValue = Schema<'Reason'>;
const CONSIDERED = new Set(['rule-off']);

function groupOf(reason: ReasonValue): keyof typeof words.groups {
    if (reason.code === 'unblock') return 'unblock';
    return CONSIDERED.has(reason.code) ? 'considered' : 'blocker';
}

function ExplanationView({ explanation }: { explanation: Explanation }) {
    const { reasons, ahead, holds, evicted, evictedForIt, position, queue } = explanation;
    const [first, ...others] = reasons;
    const isQuiet = reasons.length === 0 && !holds && !evicted && !evictedForIt?.length;
    return (
        <>
            {isQuiet && <p>{words.runs}</p>}
            {position != null && <p>{text.workloads.preview.position(position, queue)}</p>}
            {first && (
                <p>
                    <strong>{first.text}</strong>
                </p>
            )}
            {(['blocker', 'considered', 'unblock'] as const).map(group => {
                const own = others.filter(one => groupOf(one) === group);
                if (own.length === 0) return null;
                return (
                    <div key={group}>
                        <h3>{words.groups[group]}</h3>
                        <ul className={styles.tree} data-group={group}>
                            {own.map((one, index) => (
                                <li key={index} data-code={one.code}>
                                    {one.text}
                                </li>
                            ))}
                        </ul>
                    </div>
                );
            })}
            {(ahead?.length ?? 0) > 0 && (
                <Names title={words.ahead(ahead?.length ?? 0)} names={ahead ?? []} />
            )}
            {holds && <Names title={words.until} names={holds.until} />}
            {evicted && (
                <div className={styles.evicted}>
                    <h3>{words.evicted}</h3>
                    <RelativeTime at={evicted.at} />:{' '}
                    {evicted.by == null ? (
                        evictionLine(evicted.rule, null)
                    ) : (
                        <>
                            <WorkloadLink name={evicted.by} /> ({words.rule(evicted.rule, evicted.policyOf)})
                        </>
                    )}
                    <div className={styles.muted}>{evicted.why}</div>
                </div>
            )}
            {(evictedForIt?.length ?? 0) > 0 && (
                <Names
                    title={words.evictedForIt(evictedForIt?.length ?? 0)}
                    names={evictedForIt?.map(one => one.workload) ?? []}
                    rules={evictedForIt?.map(one => one.rule)}
                />
            )}
        </>
    );
}

function Names({
    title,
    names,
    rules,
}: {
    title: string;
    names: readonly string[];
    rules?: readonly string[];
}) {
    return (
        <div>
            <h3>{title}</h3>
            <ul className={styles.names}>
                {names.map((name, index) => (
                    <li key={index}>
                        <WorkloadLink name={name} />{' '}
                        {rules && <span className={styles.muted}>{rules[index]}</span>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
