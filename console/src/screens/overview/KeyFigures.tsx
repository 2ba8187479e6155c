import type { Outline } from '../../api/queries/outlines';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import type { Counts } from './grid';
import styles from './KeyFigures.module.css';
import type { Eviction, Waiting } from './waiting';

const words = text.overview.figures;
const HOUR_MS = 3_600_000;

interface Props {
    /** Of the workspace that is looked at, as all but the free GPUs. */
    works: readonly Outline[];
    used: number;
    counts: Counts;
    seesPool: boolean;
    waiting: readonly Waiting[];
    evicted: readonly Eviction[];
}

/** The few numbers that say how the pool is. */
export function KeyFigures({ works, used, counts, seesPool, waiting, evicted }: Props) {
    const running = works.filter(work => work.state === 'running').length;
    const waits = waiting.reduce((sum, group) => sum + group.works.length, 0);
    const waitsFor = waiting.reduce((sum, group) => sum + group.gpu, 0);
    const recent = evicted.filter(one => Date.parse(one.lastPreemption.at) > Date.now() - HOUR_MS).length;
    return (
        <dl className={styles.figures}>
            <Figure
                name={seesPool ? words.used : words.usedYours}
                value={figure(used)}
                about={seesPool ? words.usedOf(figure(counts.total)) : undefined}
            />
            {seesPool && <Figure name={words.free} value={figure(counts.free)} />}
            <Figure name={words.running} value={figure(running)} />
            <Figure
                name={words.waiting}
                value={figure(waits)}
                about={waits > 0 ? words.waitingFor(figure(waitsFor)) : undefined}
            />
            <Figure name={words.evicted} value={figure(recent)} isWarning={recent > 0} />
        </dl>
    );
}

interface FigureProps {
    name: string;
    value: string;
    about?: string;
    isWarning?: boolean;
}

function Figure({ name, value, about, isWarning }: FigureProps) {
    return (
        <div className={styles.figure} data-warning={isWarning}>
            <dt>{name}</dt>
            <dd>
                {value} {about !== undefined && <small>{about}</small>}
            </dd>
        </div>
    );
}
