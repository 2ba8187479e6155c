import type { UsageRecord } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { AnchorLink } from '../../../ui/links';
import type { Column } from '../../../ui/table';
import { instant, span } from '../../../ui/time';
import { WorkloadLink } from '../../../ui/WorkloadLink';
import styles from '../Usage.module.css';

const words = text.usage;
const names = words.records.columns;

/** What tells a record from all others; what goes on has no number yet. */
export function recordKey(one: UsageRecord): string {
    return (
        one.id ??
        [one.event, one.workloadId, one.config, one.resource, one.lender, one.class, one.rule].join('/')
    );
}

/** `8 gpu:H100`, `4 cores`, `16 GiB memory`. */
export function held(amount: number, resource: string): string {
    if (resource === 'memory') return words.records.gib(figure(amount));
    if (resource === 'cpu') return words.records.cores(figure(amount));
    return words.records.amount(figure(amount), resource);
}

/** Dedicated compute, whose capacity it is. */
export function ConfigLink({ config }: { config: string }) {
    return (
        <AnchorLink underline="always" to="/compute/$config" params={{ config }}>
            {config}
        </AnchorLink>
    );
}

export const recordColumns: Column<UsageRecord>[] = [
    {
        id: 'workload',
        header: names.workload,
        width: 'minmax(6.5rem, 1.1fr)',
        // Capacity of dedicated compute has no workload.
        cell: one =>
            one.workload != null && one.workloadId != null ? (
                <WorkloadLink name={one.workload} uid={one.workloadId} />
            ) : (
                one.config != null && <ConfigLink config={one.config} />
            ),
    },
    {
        id: 'who',
        header: names.who,
        width: 'minmax(9.6rem, 1.2fr)',
        cell: one => (
            <>
                {one.workspace} <span className={styles.muted}>{one.user}</span>
            </>
        ),
    },
    {
        id: 'quota',
        header: names.quota,
        width: 'minmax(8.4rem, 1.1fr)',
        cell: one => (
            <>
                {one.quota}{' '}
                {one.lender != null && (
                    <span className={styles.muted}>{words.records.lender(one.lender)}</span>
                )}
            </>
        ),
    },
    {
        id: 'what',
        header: names.what,
        width: 'minmax(8rem, 0.8fr)',
        cell: one => held(one.amount, one.resource),
    },
    {
        id: 'claim',
        header: names.claim,
        width: 'minmax(8.8rem, 0.9fr)',
        cell: one => (
            <>
                {words.classes[one.class] ?? one.class} <span className={styles.muted}>{one.rule}</span>
            </>
        ),
    },
    {
        id: 'from',
        header: names.from,
        width: '8.8rem',
        cell: one => (
            <time dateTime={one.from} title={words.records.event(one.event)}>
                {instant(Date.parse(one.from))}
            </time>
        ),
    },
    {
        id: 'lasted',
        header: names.lasted,
        width: '6.8rem',
        cell: one => (
            <>
                {span(Date.parse(one.to) - Date.parse(one.from))}{' '}
                {one.open && <span className={styles.muted}>{words.records.open}</span>}
            </>
        ),
    },
    {
        id: 'hours',
        header: names.hours,
        width: '4.6rem',
        align: 'right',
        cell: one => figure(one.hours),
    },
];
