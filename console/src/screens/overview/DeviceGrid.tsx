import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState, type KeyboardEvent, type SyntheticEvent } from 'react';
import { text } from '../../texts';
import { useWidth } from '../../ui/useWidth';
import { pathOf } from '../../ui/PathLink';
import { DeviceCard } from './DeviceCard';
import styles from './DeviceGrid.module.css';
import type { GridNode } from './grid';
import { IN_ROW, move, type At } from './walk';
import { NodeCard } from './NodeCard';

const words = text.overview.grid;
const NARROWEST = 108;
const GAP = 8;
/** Of a node's frame and name, and of one row of its devices. */
const FRAME = 31;
const LINE = 23;
const CARD_WIDTH = 272;

interface Props {
    nodes: readonly GridNode[];
    seesPool: boolean;
    workspace: string | undefined;
}

interface Pointed extends At {
    left: number;
    top: number;
}

/** Every GPU, by node: who has it, and whether it can be had. */
export function DeviceGrid(props: Props) {
    if (props.nodes.some(node => node.devices.length > 0)) return <Devices {...props} />;
    return (
        <Text size="sm" c="dimmed">
            {props.seesPool ? words.empty : words.emptyMember}
        </Text>
    );
}

/** Only what is in view is drawn. */
function Devices({ nodes, seesPool, workspace }: Props) {
    const place = useRef<HTMLDivElement>(null);
    const width = useWidth(place);
    const viewport = useRef<HTMLDivElement>(null);
    const navigate = useNavigate();
    const [stop, setStop] = useState<At>({ node: 0, device: 0 });
    const [pointed, setPointed] = useState<Pointed>();

    const columns = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
    const tallest = nodes.reduce((most, node) => Math.max(most, node.devices.length), 0);
    const height = FRAME + Math.ceil(tallest / IN_ROW) * LINE;
    const virtual = useVirtualizer({
        count: Math.ceil(nodes.length / columns),
        getScrollElement: () => viewport.current,
        estimateSize: () => height + GAP,
        overscan: 3,
    });

    // Where the Tab key comes to may be gone.
    const first = nodes.findIndex(node => node.devices.length > 0);
    const here = nodes[stop.node]?.devices[stop.device] ? stop : { node: first, device: 0 };

    const point = (event: SyntheticEvent) => {
        const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-at]');
        const frame = place.current?.getBoundingClientRect();
        if (!cell || !frame) return setPointed(undefined);
        const [node = 0, device = 0] = (cell.dataset.at ?? '').split('.').map(Number);
        const box = cell.getBoundingClientRect();
        const left = Math.max(0, Math.min(box.left - frame.left, frame.width - CARD_WIDTH));
        setPointed({ node, device, left, top: box.bottom - frame.top + 6 });
        if (event.type === 'focus') setStop({ node, device });
    };
    const focus = async (at: At) => {
        setStop(at);
        virtual.scrollToIndex(Math.floor(at.node / columns));
        // What was out of view is drawn first.
        for (let tries = 0; tries < 5; tries += 1) {
            const cell = viewport.current?.querySelector<HTMLElement>(`[data-at='${at.node}.${at.device}']`);
            if (cell) return cell.focus();
            await new Promise(done => requestAnimationFrame(done));
        }
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const sizes = nodes.map(node => node.devices.length);
        const next = move(event.key, here, sizes, columns);
        if (!next) return;
        event.preventDefault();
        void focus(next);
    };
    const open = (event: SyntheticEvent) => {
        const cell = (event.target as HTMLElement).closest<HTMLElement>('button[data-at]');
        if (!cell) return;
        const [at = 0, index = 0] = (cell.dataset.at ?? '').split('.').map(Number);
        const node = nodes[at];
        const holder = node?.devices[index]?.holders.find(one => one.uid !== undefined);
        if (holder) void navigate({ to: pathOf.workload(holder.uid ?? holder.name) });
        else if (node && seesPool) void navigate({ to: pathOf.node(node.name) });
    };

    const node = pointed && nodes[pointed.node];
    const device = node?.devices[pointed?.device ?? -1];
    const lit = device?.holders[0]?.uid;
    return (
        <div ref={place} className={styles.place} onPointerLeave={() => setPointed(undefined)}>
            <div
                ref={viewport}
                className={styles.viewport}
                role="group"
                aria-label={words.keyboard}
                onPointerOver={point}
                onFocus={point}
                onBlur={() => setPointed(undefined)}
                onKeyDown={onKeyDown}
                onClick={open}
                onScroll={() => setPointed(undefined)}
            >
                <div className={styles.rows} style={{ height: Math.max(0, virtual.getTotalSize() - GAP) }}>
                    {virtual.getVirtualItems().map(row => (
                        <div
                            key={row.key}
                            className={styles.row}
                            style={{
                                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                                transform: `translateY(${row.start}px)`,
                            }}
                        >
                            {nodes.slice(row.index * columns, (row.index + 1) * columns).map((one, at) => (
                                <NodeCard
                                    key={one.name}
                                    node={one}
                                    place={row.index * columns + at}
                                    stop={here.node === row.index * columns + at ? here.device : undefined}
                                    lit={lit}
                                    workspace={workspace}
                                    hasScreen={seesPool}
                                />
                            ))}
                        </div>
                    ))}
                </div>
            </div>
            {node && device && (
                <DeviceCard node={node} device={device} style={{ left: pointed.left, top: pointed.top }} />
            )}
        </div>
    );
}
