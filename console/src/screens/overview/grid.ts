import type { Outline } from '../../api/queries/outlines';
import type { Node } from '../../api/queries/supply';

/** Who has a device, or a part of it. */
export interface Holder {
    /** Absent where one may not know who it is. */
    uid?: string;
    name: string;
    /** 1, or a part of the device. */
    gpu: number;
    state: 'held' | 'running' | 'leaving';
    work?: Outline;
}

export interface GridDevice {
    index: number;
    /** Why it is out of service. */
    out?: string;
    holders: Holder[];
}

export interface GridNode {
    name: string;
    state: Node['status']['state'];
    reason?: string;
    devices: GridDevice[];
}

/** A node as it was drawn last, and from what. */
export interface Drawn {
    from: Node;
    grid: GridNode;
}

/** The whole pool, as platform administrators see it. What has not changed since `drawn` stays the same object. */
export function gridOfNodes(
    nodes: readonly Node[],
    works: readonly Outline[],
    drawn = new Map<string, Drawn>(),
): GridNode[] {
    const byUid = new Map(works.map(work => [work.uid, work]));
    return nodes.map(node => {
        const before = drawn.get(node.metadata.name);
        if (before?.from === node && isSame(before.grid, byUid)) return before.grid;
        const grid = gridOfNode(node, byUid);
        drawn.set(node.metadata.name, { from: node, grid });
        return grid;
    });
}

function gridOfNode({ metadata, status }: Node, byUid: ReadonlyMap<string, Outline>): GridNode {
    return {
        name: metadata.name,
        state: status.state,
        reason: status.reason ?? undefined,
        devices: status.devices.map(device => ({
            index: device.index,
            out: device.quarantined ?? undefined,
            holders: device.workloads.map(one => ({
                uid: one.uid ?? undefined,
                name: one.name,
                gpu: one.gpu,
                state: one.state,
                work: one.uid == null ? undefined : byUid.get(one.uid),
            })),
        })),
    };
}

function isSame(grid: GridNode, byUid: ReadonlyMap<string, Outline>): boolean {
    return grid.devices.every(device =>
        device.holders.every(holder => holder.uid === undefined || holder.work === byUid.get(holder.uid)),
    );
}

const natural = new Intl.Collator('en', { numeric: true });

/** The devices that one's own work has: all that members see of the pool. */
export function gridOfWorks(works: readonly Outline[]): GridNode[] {
    const nodes = new Map<string, Map<number, GridDevice>>();
    for (const work of works) {
        for (const place of work.places ?? []) {
            const devices = nodes.get(place.node) ?? new Map<number, GridDevice>();
            nodes.set(place.node, devices);
            for (const index of place.devices) {
                const device = devices.get(index) ?? { index, holders: [] };
                devices.set(index, device);
                const { uid, name } = work;
                device.holders.push({
                    uid,
                    name,
                    gpu: Math.min(1, place.gpu / place.devices.length),
                    state: place.state,
                    work,
                });
            }
        }
    }
    return [...nodes]
        .map(([name, devices]) => ({
            name,
            state: 'ready' as const,
            devices: [...devices.values()].sort((a, b) => a.index - b.index),
        }))
        .sort((a, b) => natural.compare(a.name, b.name));
}

/** GPUs by what becomes of them now. `idle`: free, on nodes that take no work. */
export interface Counts {
    running: number;
    leaving: number;
    held: number;
    free: number;
    idle: number;
    out: number;
    total: number;
}

export function countDevices(nodes: readonly GridNode[]): Counts {
    const counts: Counts = { running: 0, leaving: 0, held: 0, free: 0, idle: 0, out: 0, total: 0 };
    for (const node of nodes) {
        for (const device of node.devices) {
            counts.total += 1;
            let rest = 1;
            for (const holder of device.holders) {
                // Who is held waits for who leaves: the device is counted once, for who still has it.
                const part = Math.min(rest, holder.gpu);
                counts[holder.state] += part;
                rest -= part;
            }
            if (device.out !== undefined) counts.out += rest;
            else if (node.state === 'ready') counts.free += rest;
            else counts.idle += rest;
        }
    }
    return counts;
}

/** GPUs that work of a workspace has, or all work. Who is held has nothing yet. */
export function usedBy(nodes: readonly GridNode[], workspace: string | undefined): number {
    const holders = nodes.flatMap(node => node.devices.flatMap(device => device.holders));
    return holders
        .filter(one => one.state !== 'held' && (workspace === undefined || one.work?.workspace === workspace))
        .reduce((sum, one) => sum + one.gpu, 0);
}
