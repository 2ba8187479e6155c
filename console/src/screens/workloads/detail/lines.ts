export interface Line {
    /** Counts on, also when older lines are dropped. */
    number: number;
    replica: number;
    text: string;
}

// Colors and movements of the cursor, as programs write them for terminals.
const TERMINAL = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The line of a replica that may go on: what was written of it, and where it stands. */
interface Open {
    written: string;
    number?: number;
}

/** Puts lines together from pieces of what several replicas write, and keeps the latest of them. */
export class Lines {
    private readonly decoders = new Map<number, TextDecoder>();
    private readonly open = new Map<number, Open>();
    private all: Line[] = [];
    private next = 0;
    /** How many older lines are not kept. */
    dropped = 0;

    constructor(private readonly most: number) {}

    add(replica: number, bytes: Uint8Array): void {
        let decoder = this.decoders.get(replica);
        if (!decoder) this.decoders.set(replica, (decoder = new TextDecoder()));
        const parts = decoder.decode(bytes, { stream: true }).split('\n');
        parts.forEach((part, index) => {
            const isEnded = index < parts.length - 1;
            this.write(replica, part, isEnded);
        });
        if (this.all.length > this.most) {
            this.dropped += this.all.length - this.most;
            this.all = this.all.slice(-this.most);
        }
    }

    /** A copy that stays as it is. */
    list(): readonly Line[] {
        return this.all.slice();
    }

    private write(replica: number, part: string, isEnded: boolean): void {
        const { written, number } = this.open.get(replica) ?? { written: '' };
        const line = { replica, number: number ?? this.next, text: shown(written + part) };
        const isSeen = number !== undefined || isEnded || part !== '';
        if (number === undefined && isSeen) {
            this.next += 1;
            this.all.push(line);
        } else if (number !== undefined && part !== '') {
            const at = this.all.findLastIndex(one => one.number === number);
            if (at >= 0) this.all[at] = line;
        }
        if (isEnded) this.open.delete(replica);
        else if (isSeen) this.open.set(replica, { written: written + part, number: line.number });
    }
}

/** As a terminal would leave it: what a carriage return goes back over is written over. */
function shown(text: string): string {
    const plain = text.replace(TERMINAL, '').replace(/\r$/, '');
    return plain.slice(plain.lastIndexOf('\r') + 1);
}

export function fromBase64(text: string): Uint8Array {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0));
}
