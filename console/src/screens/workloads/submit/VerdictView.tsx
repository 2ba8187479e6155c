import { text } from '../../../texts';
import { Amount } from '../../../ui/Amount';
import { Verdict as Headline } from '../../../ui/PreviewedForm';
import { ReasonTree } from '../../../ui/Reason';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import styles from './Submit.module.css';
import type { Verdict } from './verdict';

const words = text.workloads.preview;

/** The words on the button that does it. */
export function buttonOf(verdict: Verdict | undefined): string {
    if (verdict?.kind === 'waits') return words.submitWaiting;
    if (verdict?.kind === 'preempts' && verdict.victims.length > 0)
        return words.submitPreempting(verdict.victims.length);
    return words.submit;
}

const SHOWN_NODES = 4;

function nodesOf(nodes: readonly string[]): string {
    return words.nodes(nodes.slice(0, SHOWN_NODES), Math.max(0, nodes.length - SHOWN_NODES));
}

/** What a dry run says, for people. */
export function VerdictView({ verdict }: { verdict: Verdict }) {
    const { kind, workload, nodes, victims } = verdict;
    const { status } = workload;
    if (kind === 'waits')
        return (
            <>
                <Headline>{words.waits}</Headline>
                {status.position != null && <p>{words.position(status.position, status.quota)}</p>}
                <ReasonTree reasons={status.reasons ?? []} />
            </>
        );
    const isPartial = kind === 'starts' && status.replicas.running < status.replicas.wanted;
    return (
        <>
            <Headline>
                {kind === 'starts'
                    ? words.now
                    : victims.length > 0
                      ? words.preempts(victims.length)
                      : words.held}
            </Headline>
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
