import type { Schema } from '../../api/client';
import type { Node } from '../../api/queries/supply';
import type { NodesSearch } from './routes';

/** A node as a row of the list. */
export interface NodeRow {
    node: Node;
    /** GPUs in use, parts of shared ones included. */
    used: number;
    /** GPUs out of service. */
    out: number;
    cpuUsed: number;
    memoryUsed: number;
    memory: number;
    /** Names of those that run there, each once. */
    works: string[];
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Bytes of a size as the API writes it: `1Ti`, `512Gi`, or a number. */
export function memoryBytes(size: Schema<'Memory'> | null | undefined): number {
    if (typeof size === 'number') return size;
    const [, figure, unit] = /^([\d.]+)([KMGTP]i)?B?$/.exec(size ?? '') ?? [];
    return Number(figure ?? 0) * 1024 ** BINARY.indexOf(unit ?? '');
}

export function nodeRow(node: Node): NodeRow {
    const { spec, status } = node;
    const occupants = [
        ...status.devices.flatMap(device => device.workloads),
        ...(status.withoutDevices ?? []),
    ];
    const used = status.devices.reduce(
        (sum, device) =>
            sum +
            Math.min(
                1,
                device.workloads.reduce((part, one) => part + one.gpu, 0),
            ),
        0,
    );
    const memory = memoryBytes(spec.memory);
    return {
        node,
        used,
        out: status.devices.filter(device => device.quarantined != null).length,
        cpuUsed: Math.max(0, (spec.cpu ?? 0) - status.free.cpu),
        memoryUsed: Math.max(0, memory - status.free.memory),
        memory,
        works: [...new Set(occupants.map(one => one.name))],
    };
}

/** The rows that one looks for. */
export function findRows(rows: readonly NodeRow[], { find, pool, state }: NodesSearch): NodeRow[] {
    const wanted = (find ?? '').toLowerCase();
    const has = (value: string | null | undefined) => value?.toLowerCase().includes(wanted) === true;
    return rows.filter(
        ({ node, works }) =>
            (pool === undefined || node.spec.pool === pool) &&
            (state === undefined || node.status.state === state) &&
            (wanted === '' || has(node.metadata.name) || has(node.spec.model) || works.some(has)),
    );
}
