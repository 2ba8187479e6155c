import { Badge, Text, Tooltip } from '@mantine/core';
import type { Advice, AdvisedWay } from '../../../api/queries/advice';
import { text } from '../../../texts';
import { durationMs } from '../../../ui/duration';
import { ButtonLink } from '../../../ui/links';
import { length } from '../../tasks/model';
import { held } from '../records/columns';
import styles from './Advice.module.css';
import { markOf, requestFor, shareOf, type Mark } from './ways';

const words = text.advice;

interface Props {
    advice: Advice;
    way: AdvisedWay;
    /** The workspace may ask for dedicated compute. */
    mayAsk: boolean;
}

/** One way to have run all tasks: what it costs, how much it is, and how long they wait. */
export function WayCard({ advice, way, mayAsk }: Props) {
    const name = words.modes[way.mode] ?? way.mode;
    const cost = way.cost == null ? undefined : words.amount(way.cost, advice.currency);
    const mark = markOf(advice, way);
    const request = requestFor(way);
    return (
        <section className={styles.way} aria-label={name} data-best={way.mode === advice.best}>
            <div className={styles.name}>
                <h2>{name}</h2>
                {mark && <MarkBadge mark={mark} />}
            </div>
            <Text size="sm" c="dimmed">
                {words.modesAbout[way.mode]}
            </Text>
            <div className={styles.cost}>{cost ?? words.noCost}</div>
            <div className={styles.bar} role="img" aria-label={words.bar(name, cost ?? words.noCost)}>
                <div style={{ width: `${100 * shareOf(advice, way)}%` }} />
            </div>
            {way.problem != null && <Text size="sm">{way.problem}</Text>}
            <dl className={styles.facts}>
                <dt>{way.mode === 'byUsage' ? words.atMost : words.size}</dt>
                <dd>{sizeOf(way)}</dd>
                <dt className={styles.head}>{words.waiting}</dt>
                {(['p50', 'p95', 'max'] as const).map(part => (
                    <div key={part} className={styles.pair}>
                        <dt>{words[part]}</dt>
                        <dd>{waited(way.waiting[part])}</dd>
                    </div>
                ))}
            </dl>
            {request && mayAsk && (
                <Tooltip label={words.askHint}>
                    <ButtonLink
                        className={styles.ask}
                        variant={way.mode === advice.best ? 'filled' : 'default'}
                        to="/compute/requests/new"
                        search={{ ...request, ws: advice.workspace }}
                    >
                        {words.ask}
                    </ButtonLink>
                </Tooltip>
            )}
        </section>
    );
}

const HINTS: Record<Mark, string> = {
    cheapest: words.bestHint,
    best: words.bestHint,
    waitsLonger: words.waitsLongerHint,
};

function MarkBadge({ mark }: { mark: Mark }) {
    return (
        <Tooltip label={HINTS[mark]}>
            <Badge color={mark === 'waitsLonger' ? 'sand' : 'tide'} tabIndex={0}>
                {words[mark]}
            </Badge>
        </Tooltip>
    );
}

/** `4 gpu:H100, 8 cores`. */
export function sizeOf(way: AdvisedWay): string {
    const parts = Object.entries(way.size ?? {}).map(([resource, amount]) => held(amount, resource));
    return parts.length === 0 ? words.noSize : parts.join(', ');
}

export const waited = (duration: string) => length(durationMs(duration));
