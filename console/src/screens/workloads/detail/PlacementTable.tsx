import type { Schema } from '../../../api/client';
import { text } from '../../../texts';
import { bytes, figure } from '../../../ui/amounts';
import styles from './Detail.module.css';

type Placement = Schema<'Placement'>;
const words = text.workloads.detail.placement;
/** Nobody reads more rows than that; the nodes' own screen has them all. */
const MOST = 256;

/** Where its replicas are, and what they take there. */
export function PlacementTable({ placements }: { placements: readonly Placement[] }) {
    if (placements.length === 0) return <span className={styles.muted}>{words.none}</span>;
    const isMeasured = placements.some(one => one.usage != null);
    const isReached = placements.some(one => one.readiness != null);
    return (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={words.title}>
            <table className={styles.table}>
                <thead>
                    <tr>
                        <th scope="col">{words.replica}</th>
                        <th scope="col">{words.node}</th>
                        <th scope="col">{words.devices}</th>
                        <th scope="col">{words.state}</th>
                        {isReached && <th scope="col">{words.ready}</th>}
                        {isMeasured && <th scope="col">{words.usage}</th>}
                    </tr>
                </thead>
                <tbody>
                    {placements.slice(0, MOST).map((one, index) => (
                        <tr key={index}>
                            <td>{one.number ?? index}</td>
                            <td>{one.node}</td>
                            <td title={one.model ?? undefined}>{devicesOf(one)}</td>
                            <td>{text.workloads.states[one.state]}</td>
                            {isReached && (
                                <td>{one.readiness?.ready ? words.isReady : one.readiness?.reason}</td>
                            )}
                            {isMeasured && <td>{usageOf(one)}</td>}
                        </tr>
                    ))}
                </tbody>
            </table>
            {placements.length > MOST && <p>{words.more(placements.length - MOST)}</p>}
        </div>
    );
}

/** `0-7`, `0,3`, `0 (0.5)`. */
function devicesOf({ devices, gpu }: Placement): string {
    if (devices.length === 0) return '';
    const [first, last] = [devices[0] ?? 0, devices.at(-1) ?? 0];
    const isRun = devices.length > 2 && last - first === devices.length - 1;
    const shown = isRun ? `${first}-${last}` : devices.join(',');
    return gpu < devices.length ? `${shown} (${figure(gpu)})` : shown;
}

function usageOf({ usage }: Placement): string {
    if (usage == null) return '';
    const parts = [
        usage.cpu == null ? undefined : words.cpuOf(figure(usage.cpu), figure(usage.requestedCpu)),
        bytes(usage.memory),
    ];
    return parts.filter(part => part !== undefined).join(', ');
}
