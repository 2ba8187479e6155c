import { Tooltip } from '@mantine/core';
import { text } from '../../../texts';
import { RelativeTime } from '../../../ui/RelativeTime';
import { exact, span } from '../../../ui/time';
import { useNow } from '../../../ui/useNow';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import type { Workload } from '../../../api/queries/workloads';
import { evictionLine } from '../why';
import { timelineOf, type Mark, type Segment, type Told } from './timeline';
import styles from './Timeline.module.css';

const words = text.workloads.detail.timeline;
const names = text.workloads.states;

/** The life of a workload as a bar: when it waited, when it ran, and who interrupted it. */
export function TimelineView({ workload, events }: { workload: Workload; events: readonly Told[] }) {
    const hasEnded = workload.status.endedAt != null;
    const now = useNow(hasEnded ? undefined : 5_000);
    const line = timelineOf(workload, events, now);
    const length = Math.max(1, line.to - line.from);
    const place = (at: number) => `${((at - line.from) / length) * 100}%`;
    const width = (one: Segment) => `${((one.to - one.from) / length) * 100}%`;
    const most = Math.max(1, ...line.segments.map(one => one.replicas ?? 0));
    const parts = line.segments.map(one => words.segment(names[one.state], span(one.to - one.from)));
    return (
        <div className={styles.timeline}>
            <div className={styles.bar} role="img" aria-label={words.label(workload.metadata.name, parts)}>
                {line.segments.map(one => (
                    <Tooltip key={`${one.from}-${one.state}`} label={<SegmentFacts segment={one} />}>
                        <div
                            className={styles.segment}
                            data-state={one.state}
                            style={{
                                left: place(one.from),
                                width: width(one),
                                height:
                                    one.replicas === undefined
                                        ? undefined
                                        : `${40 + (60 * one.replicas) / most}%`,
                            }}
                        />
                    </Tooltip>
                ))}
                {line.marks.map((mark, index) => (
                    <Tooltip key={index} label={`${markName(mark)}, ${exact(mark.at)}`}>
                        <span
                            className={styles.mark}
                            data-kind={mark.kind}
                            style={{ left: place(mark.at) }}
                        />
                    </Tooltip>
                ))}
            </div>
            <div className={styles.axis}>
                <span>{exact(line.from)}</span>
                <span>{span(length)}</span>
                <span>{line.end === undefined ? words.now : `${names[line.end]} ${exact(line.to)}`}</span>
            </div>
            <ul className={styles.legend}>
                {[...new Set(line.segments.map(one => one.state))].map(state => (
                    <li key={state}>
                        <span className={styles.key} data-state={state} aria-hidden="true" /> {names[state]}
                    </li>
                ))}
                {line.marks.length > 0 && (
                    <li>
                        <span className={styles.markKey} aria-hidden="true" /> {words.marks}
                    </li>
                )}
            </ul>
            <Interruptions marks={line.marks} />
        </div>
    );
}

function SegmentFacts({ segment }: { segment: Segment }) {
    return (
        <>
            {words.segment(names[segment.state], span(segment.to - segment.from))}
            {segment.replicas !== undefined && `, ${words.replicas(segment.replicas)}`}
            <br />
            {exact(segment.from)}
        </>
    );
}

const LATEST = 20;

function Interruptions({ marks }: { marks: readonly Mark[] }) {
    if (marks.length === 0) return null;
    return (
        <ol className={styles.marks} aria-label={words.marks}>
            {marks
                .slice(-LATEST)
                .toReversed()
                .map((mark, index) => (
                    <li key={index}>
                        <MarkWords mark={mark} />
                        {mark.rule !== undefined && (
                            <span className={styles.rule}>
                                {mark.by === undefined ? evictionLine(mark.rule, null) : mark.rule}
                            </span>
                        )}
                        <small>
                            <RelativeTime at={new Date(mark.at).toISOString()} />
                            {mark.why !== undefined && ` · ${mark.why}`}
                        </small>
                    </li>
                ))}
        </ol>
    );
}

function MarkWords({ mark }: { mark: Mark }) {
    if (mark.by === undefined) return <strong>{markName(mark)}</strong>;
    // The name stands last, so that it can be a link.
    const before = markName(mark).slice(0, -mark.by.length);
    return (
        <strong>
            {before}
            <WorkloadLink name={mark.by} />
        </strong>
    );
}

function markName(mark: Mark): string {
    if (mark.kind === 'failed') return words.mark.failed;
    if (mark.kind === 'lost') return words.mark.lost(mark.node);
    return words.mark[mark.kind](mark.by);
}
