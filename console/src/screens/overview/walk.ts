/** A device: its node among all nodes, and its place there. */
export interface At {
    node: number;
    device: number;
}

/** Devices that stand side by side in a node. */
export const IN_ROW = 4;

/**
 * Where a key leads: left and right to the neighbour, up and down within the node and then to the node above or below.
 * `undefined`: the key means nothing here. `sizes` are the devices of each node, `columns` nodes stand side by side.
 */
export function move(
    key: string,
    { node, device }: At,
    sizes: readonly number[],
    columns: number,
): At | undefined {
    const size = (at: number) => sizes[at] ?? 0;
    const lastLine = (at: number) => Math.floor(Math.max(0, size(at) - 1) / IN_ROW) * IN_ROW;
    const column = device % IN_ROW;
    const clamp = (at: number, wanted: number): At => ({
        node: at,
        device: Math.max(0, Math.min(wanted, size(at) - 1)),
    });
    const next = (step: 1 | -1): At => {
        if (device + step >= 0 && device + step < size(node)) return { node, device: device + step };
        for (let at = node + step; at >= 0 && at < sizes.length; at += step) {
            if (size(at) > 0) return { node: at, device: step > 0 ? 0 : size(at) - 1 };
        }
        return { node, device };
    };
    switch (key) {
        case 'ArrowRight':
            return next(1);
        case 'ArrowLeft':
            return next(-1);
        case 'ArrowDown':
            if (device + IN_ROW < size(node)) return { node, device: device + IN_ROW };
            return size(node + columns) > 0 ? clamp(node + columns, column) : { node, device };
        case 'ArrowUp':
            if (device >= IN_ROW) return { node, device: device - IN_ROW };
            return size(node - columns) > 0
                ? clamp(node - columns, lastLine(node - columns) + column)
                : { node, device };
        case 'Home':
            return clamp(
                Math.max(
                    0,
                    sizes.findIndex(one => one > 0),
                ),
                0,
            );
        case 'End': {
            const last = sizes.findLastIndex(one => one > 0);
            return clamp(last, size(last) - 1);
        }
        default:
            return undefined;
    }
}
