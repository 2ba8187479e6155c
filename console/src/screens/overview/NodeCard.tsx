import { memo } from 'react';
import { text } from '../../texts';
import { PathLink, pathOf } from '../../ui/PathLink';
import cells from './DeviceCell.module.css';
import { deviceLabel } from './DeviceCard';
import styles from './DeviceGrid.module.css';
import type { GridDevice, GridNode } from './grid';

const words = text.overview.grid;

interface Props {
    node: GridNode;
    /** Its place among all nodes. */
    place: number;
    /** The device that the Tab key comes to, if it is one of these. */
    stop: number | undefined;
    /** The workload that is pointed at. */
    lit: string | undefined;
    /** Only work of this workspace counts now. */
    workspace: string | undefined;
    /** Nodes have screens of their own. */
    hasScreen: boolean;
}

/** A node with its devices. Drawn again only when something of it changes. */
export const NodeCard = memo(function NodeCard({ node, place, stop, lit, workspace, hasScreen }: Props) {
    return (
        <div className={styles.node} data-state={node.state} role="group" aria-label={node.name}>
            <div className={styles.name}>
                {hasScreen ? (
                    <PathLink path={pathOf.node(node.name)} title={node.name} isPassed>
                        {node.name}
                    </PathLink>
                ) : (
                    <span title={node.name}>{node.name}</span>
                )}
                {node.state !== 'ready' && (
                    <strong
                        role="img"
                        aria-label={words.taking(node.state)}
                        title={node.reason ?? words.taking(node.state)}
                    >
                        {words.sign[node.state]}
                    </strong>
                )}
            </div>
            <div className={styles.devices}>
                {node.devices.map((device, at) => (
                    <button
                        key={device.index}
                        type="button"
                        className={cells.cell}
                        data-at={`${place}.${at}`}
                        data-full={device.holders.reduce((sum, one) => sum + one.gpu, 0) >= 1}
                        data-out={device.out !== undefined}
                        data-idle={
                            node.state !== 'ready' && device.holders.length === 0 && device.out === undefined
                        }
                        data-lit={lit !== undefined && device.holders.some(one => one.uid === lit)}
                        data-faded={isFaded(device, workspace)}
                        tabIndex={stop === at ? 0 : -1}
                        aria-label={deviceLabel(node, device)}
                    >
                        {device.holders.map((holder, index) => (
                            <span
                                key={index}
                                className={cells.part}
                                data-state={holder.state}
                                data-module={holder.work?.module ?? 'other'}
                                style={holder.gpu < 1 ? { height: `${holder.gpu * 100}%` } : undefined}
                            />
                        ))}
                    </button>
                ))}
            </div>
        </div>
    );
});

function isFaded(device: GridDevice, workspace: string | undefined): boolean {
    if (workspace === undefined || device.holders.length === 0) return false;
    return !device.holders.some(one => one.work?.workspace === workspace);
}
