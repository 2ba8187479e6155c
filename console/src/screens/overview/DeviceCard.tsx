import type { CSSProperties } from 'react';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { RelativeTime } from '../../ui/RelativeTime';
import { relative } from '../../ui/time';
import styles from './DeviceCard.module.css';
import type { GridDevice, GridNode, Holder } from './grid';

const words = text.overview.grid;

/** What a device says when one points at it. Those who do not see it are told by the label of the device. */
export function DeviceCard({
    node,
    device,
    style,
}: {
    node: GridNode;
    device: GridDevice;
    style: CSSProperties;
}) {
    return (
        <div className={styles.card} style={style} aria-hidden="true" data-testid="device-card">
            <div className={styles.where}>
                {words.device(node.name, device.index)}
                {node.state !== 'ready' && ` · ${node.reason ?? words.taking(node.state)}`}
            </div>
            {device.out !== undefined && <div>{words.out(device.out)}</div>}
            {device.holders.length === 0 && device.out === undefined && <div>{words.free}</div>}
            {device.holders.map((holder, index) => (
                <HolderFacts key={index} holder={holder} />
            ))}
        </div>
    );
}

function HolderFacts({ holder }: { holder: Holder }) {
    const { work } = holder;
    return (
        <div className={styles.holder}>
            <strong>{holder.name}</strong>
            {work && (
                <span className={styles.where}>
                    {' '}
                    {text.overview.module[work.module]}, {words.priority(work.priority)}
                </span>
            )}
            <dl className={styles.facts}>
                {work && (
                    <>
                        <dt>{words.fields.quota}</dt>
                        <dd>{work.quota}</dd>
                        <dt>{words.fields.workspace}</dt>
                        <dd>{work.workspace}</dd>
                        {work.startedAt !== undefined && (
                            <>
                                <dt>{words.fields.since}</dt>
                                <dd>
                                    <RelativeTime at={work.startedAt} />
                                </dd>
                            </>
                        )}
                        <dt>{words.fields.gpu}</dt>
                        <dd>{figure(work.gpu)}</dd>
                    </>
                )}
                {(holder.state !== 'running' || holder.gpu < 1) && (
                    <>
                        <dt>{words.fields.state}</dt>
                        <dd>{stateOf(holder)}</dd>
                    </>
                )}
            </dl>
        </div>
    );
}

function stateOf(holder: Holder): string {
    const part = holder.gpu < 1 ? [words.part(figure(holder.gpu))] : [];
    return [words.state[holder.state], ...part].join(', ');
}

/** The same in one sentence. */
export function deviceLabel(node: GridNode, device: GridDevice): string {
    const parts = device.holders.map(holder => {
        const { work } = holder;
        const facts = work && [
            text.overview.module[work.module],
            words.priority(work.priority),
            work.quota,
            work.workspace,
            ...(work.startedAt === undefined ? [] : [relative(Date.parse(work.startedAt), Date.now())]),
        ];
        return [holder.name, stateOf(holder), ...(facts ?? [])].join(', ');
    });
    if (device.out !== undefined) parts.push(words.out(device.out));
    if (parts.length === 0) parts.push(words.free);
    if (node.state !== 'ready') parts.push(words.taking(node.state));
    return `${words.device(node.name, device.index)}: ${parts.join('; ')}`;
}
