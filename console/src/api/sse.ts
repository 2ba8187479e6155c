/** One event of a stream of server-sent events. */
export interface Frame {
    id?: string;
    event: string;
    data: string;
}

/** Cuts text that arrives in pieces into events. Comments only show that the other side is there. */
export class SseReader {
    private rest = '';

    /** The events that a piece completes. */
    push(piece: string): Frame[] {
        this.rest += piece;
        const blocks = this.rest.split(/\r?\n\r?\n/);
        this.rest = blocks.pop() ?? '';
        return blocks.flatMap(block => {
            const frame = read(block);
            return frame ? [frame] : [];
        });
    }
}

function read(block: string): Frame | undefined {
    const frame: Frame = { event: 'message', data: '' };
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
        const colon = line.indexOf(':');
        if (colon === 0) continue;
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'data') data.push(value);
        if (field === 'event') frame.event = value;
        if (field === 'id') frame.id = value;
    }
    if (data.length === 0) return undefined;
    frame.data = data.join('\n');
    return frame;
}
