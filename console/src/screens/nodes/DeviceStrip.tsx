import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import styles from './DeviceStrip.module.css';
import type { NodeRow } from './model';

/** More than these are not drawn one by one. */
const MOST = 16;

/** The GPUs of a node as small squares: used, shared, free, out of service. */
export function DeviceStrip({ row }: { row: NodeRow }) {
    const { devices } = row.node.status;
    return (
        <span
            className={styles.strip}
            role="img"
            aria-label={text.nodes.strip(figure(row.used), devices.length, row.out)}
        >
            {devices.slice(0, MOST).map(device => {
                const used = Math.min(
                    1,
                    device.workloads.reduce((sum, one) => sum + one.gpu, 0),
                );
                return (
                    <span key={device.index} className={styles.device} data-out={device.quarantined != null}>
                        <span
                            className={styles.used}
                            data-leaving={device.workloads.some(one => one.state === 'leaving')}
                            style={{ height: `${used * 100}%` }}
                        />
                    </span>
                );
            })}
            {devices.length > MOST && <small>{text.nodes.more(devices.length - MOST)}</small>}
        </span>
    );
}
