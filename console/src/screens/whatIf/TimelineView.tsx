import { Button } from '@mantine/core';
import { useRef, useState, type CSSProperties } from 'react';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { useWidth } from '../../ui/useWidth';
import { clock, details, subject } from './describe';
import type { Bar, Lane, Mark, Timeline } from './timeline';
import { ticksOf } from './timeline';
import styles from './TimelineView.module.css';

const words = text.whatIf.result;
/** So many lanes are drawn unless more are asked for. */
const LANES = 60;
/** One tick for so many pixels. */
const TICK_PX = 80;
/** Bars that are a smaller part of the run have no room for a figure. */
const NARROW = 0.06;

interface Props {
    timeline: Timeline;
    /** The lane that the list of events is narrowed to. */
    chosen: string | undefined;
    onChoose(name: string | undefined): void;
}

/** Bars over virtual time: one lane for each workload, one for changes of quotas and nodes. */
export function TimelineView({ timeline, chosen, onChoose }: Props) {
    const place = useRef<HTMLDivElement>(null);
    const width = useWidth(place);
    const [isWhole, setWhole] = useState(false);
    const { lanes, changes, end } = timeline;
    const ticks = ticksOf(end, Math.max(2, Math.floor((width * 0.75) / TICK_PX)));
    const at = (time: number): CSSProperties => ({ left: `${(100 * time) / end}%` });
    const shown = isWhole ? lanes : lanes.slice(0, LANES);
    return (
        <div ref={place} className={styles.timeline}>
            <div className={styles.axis} aria-hidden="true">
                {ticks.map(tick => (
                    <span key={tick} style={at(tick)}>
                        {clock(tick)}
                    </span>
                ))}
            </div>
            <ul className={styles.lanes}>
                {changes.length > 0 && (
                    <li className={styles.lane}>
                        <span className={styles.name}>{words.changes}</span>
                        <div className={styles.track}>
                            <Grid ticks={ticks} at={at} />
                            {changes.map((mark, index) => (
                                <MarkView key={index} mark={mark} kind="change" style={at(mark.at)} />
                            ))}
                        </div>
                    </li>
                )}
                {shown.map(lane => (
                    <li key={lane.name} className={styles.lane} data-lane={lane.name}>
                        <button
                            type="button"
                            className={styles.name}
                            aria-pressed={chosen === lane.name}
                            aria-label={spoken(lane)}
                            title={lane.name}
                            onClick={() => onChoose(chosen === lane.name ? undefined : lane.name)}
                        >
                            {lane.name}
                        </button>
                        <div className={styles.track}>
                            <Grid ticks={ticks} at={at} />
                            {lane.bars.map((bar, index) => (
                                <span
                                    key={index}
                                    className={styles.bar}
                                    data-kind={bar.kind}
                                    data-class={bar.class}
                                    title={barText(bar)}
                                    style={{
                                        ...at(bar.from),
                                        width: `${(100 * (bar.to - bar.from)) / end}%`,
                                    }}
                                >
                                    {bar.gpu !== undefined &&
                                        bar.to - bar.from > end * NARROW &&
                                        figure(bar.gpu)}
                                </span>
                            ))}
                            {lane.marks.map((mark, index) => (
                                <MarkView key={index} mark={mark} kind="warning" style={at(mark.at)} />
                            ))}
                        </div>
                    </li>
                ))}
            </ul>
            {shown.length < lanes.length && (
                <Button variant="default" mt="sm" onClick={() => setWhole(true)}>
                    {words.more(lanes.length - shown.length)}
                </Button>
            )}
            <Legend />
        </div>
    );
}

function Grid({ ticks, at }: { ticks: readonly number[]; at(time: number): CSSProperties }) {
    return ticks.map(tick => <span key={tick} className={styles.tick} style={at(tick)} aria-hidden="true" />);
}

function MarkView({ mark, kind, style }: { mark: Mark; kind: string; style: CSSProperties }) {
    const label = `${clock(mark.at)}: ${subject(mark.event)} ${mark.event.event} ${details(mark.event)}`;
    return (
        <span
            className={styles.mark}
            data-kind={kind}
            style={style}
            role="img"
            aria-label={label}
            title={label}
        />
    );
}

function barText(bar: Bar): string {
    const parts = [words.bar[bar.kind](clock(bar.from), clock(bar.to))];
    if (bar.gpu !== undefined) parts.push(words.gpus(figure(bar.gpu)));
    if (bar.replicas !== undefined) parts.push(words.replicas(bar.replicas));
    if (bar.class !== undefined) parts.push(bar.class);
    return parts.join(', ');
}

function spoken(lane: Lane): string {
    const parts = lane.bars.map(bar => words.bar[bar.kind](clock(bar.from), clock(bar.to)));
    return words.lane(lane.name, lane.state === undefined ? parts : [...parts, lane.state]);
}

function Legend() {
    return (
        <ul className={styles.legend}>
            <li>
                <span className={styles.key} data-kind="waiting" /> {words.legend.waiting}
            </li>
            {(['firm', 'loan', 'idle'] as const).map(claim => (
                <li key={claim}>
                    <span className={styles.key} data-kind="running" data-class={claim} />{' '}
                    {words.legend[claim]}
                </li>
            ))}
            <li>
                <span className={styles.sign} data-kind="warning" /> {words.legend.preempted}
            </li>
        </ul>
    );
}
