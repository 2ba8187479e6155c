import { Button, Loader } from '@mantine/core';
import type { DryRun } from '../../../api/client';
import type { Problem } from '../../../api/problem';
import { text } from '../../../texts';
import { Amount } from '../../../ui/Amount';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { ReasonTree } from '../../../ui/Reason';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import styles from './Submit.module.css';
import { verdictOf, type Verdict } from './verdict';

const words = text.workloads.preview;

interface Props {
    would: DryRun | undefined;
    problem: Problem | undefined;
    /** Fields that show their own part of the problem. */
    shown: readonly string[];
    /** What is shown was said of something else. */
    isOld: boolean;
    isBusy: boolean;
    onSubmit(): void;
}

/** What would happen, as long as one types; and the button that does it. */
export function PreviewPanel({ would, problem, shown, isOld, isBusy, onSubmit }: Props) {
    const verdict = would && !problem ? verdictOf(would) : undefined;
    const kind = problem ? 'refused' : verdict?.kind;
    return (
        <section
            className={styles.preview}
            data-kind={kind}
            data-old={isOld}
            data-testid="verdict"
            aria-label={words.title}
            aria-live="polite"
        >
            <div className={styles.answer} tabIndex={0}>
                {problem ? (
                    <>
                        <h2 className={styles.verdict}>{words.refused}</h2>
                        <ProblemAlert problem={problem} shown={shown} />
                    </>
                ) : verdict ? (
                    <VerdictView verdict={verdict} />
                ) : (
                    <h2 className={styles.verdict}>
                        <Loader size="xs" mr="xs" />
                        {words.asking}
                    </h2>
                )}
            </div>
            <Button
                size="sm"
                color={verdict?.kind === 'preempts' ? 'coral' : undefined}
                disabled={!verdict || isOld}
                loading={isBusy}
                onClick={onSubmit}
            >
                {buttonOf(verdict)}
            </Button>
        </section>
    );
}

function buttonOf(verdict: Verdict | undefined): string {
    if (verdict?.kind === 'waits') return words.submitWaiting;
    if (verdict?.kind === 'preempts' && verdict.victims.length > 0)
        return words.submitPreempting(verdict.victims.length);
    return words.submit;
}

const SHOWN_NODES = 4;

function nodesOf(nodes: readonly string[]): string {
    return words.nodes(nodes.slice(0, SHOWN_NODES), Math.max(0, nodes.length - SHOWN_NODES));
}

function VerdictView({ verdict }: { verdict: Verdict }) {
    const { kind, workload, nodes, victims } = verdict;
    const { status } = workload;
    if (kind === 'waits')
        return (
            <>
                <h2 className={styles.verdict}>{words.waits}</h2>
                {status.position != null && <p>{words.position(status.position, status.quota)}</p>}
                <ReasonTree reasons={status.reasons ?? []} />
            </>
        );
    const isPartial = kind === 'starts' && status.replicas.running < status.replicas.wanted;
    return (
        <>
            <h2 className={styles.verdict}>
                {kind === 'starts'
                    ? words.now
                    : victims.length > 0
                      ? words.preempts(victims.length)
                      : words.held}
            </h2>
            {victims.length > 0 && (
                <ul className={styles.victims}>
                    {victims.map(one => (
                        <li key={one.workload}>
                            <strong>
                                <WorkloadLink name={one.workload ?? ''} uid={one.uid} />
                            </strong>{' '}
                            {one.rule}
                            <small>{one.why}</small>
                        </li>
                    ))}
                </ul>
            )}
            {nodes.length > 0 && (
                <p>{kind === 'starts' ? words.on(nodesOf(nodes)) : words.thenStarts(nodesOf(nodes))}</p>
            )}
            {isPartial && <p>{words.some(status.replicas.running, status.replicas.wanted)}</p>}
            {(status.draws?.length ?? 0) > 0 && (
                <p>
                    {words.draws}{' '}
                    {status.draws?.map((draw, index) => (
                        <span key={index}>
                            {index > 0 && ', '}
                            <Amount amounts={draw} /> {draw.account} ({draw.rule}, {draw.class})
                        </span>
                    ))}
                </p>
            )}
        </>
    );
}
