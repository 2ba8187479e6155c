import { text } from '../texts';
import type { Schema } from './client';

type Wire = Schema<'Problem'>;
export type Pointer = Schema<'Pointer'>;

/** Why a request was not carried out: RFC 9457 as the server sends it. */
export class Problem extends Error {
    readonly code: string;
    readonly status: number;
    readonly title: string;
    readonly detail: string;
    readonly hint: string;
    readonly pointers: readonly Pointer[];
    readonly reasons: readonly string[];

    constructor(wire: Partial<Omit<Wire, 'code'>> & { code: string; status: number }) {
        super(wire.detail ?? wire.title ?? wire.code);
        this.name = 'Problem';
        this.code = wire.code;
        this.status = wire.status;
        this.title = wire.title ?? '';
        this.detail = wire.detail ?? '';
        this.hint = wire.hint ?? '';
        this.pointers = wire.pointers ?? [];
        this.reasons = wire.reasons ?? [];
    }

    static of(status: number, body: unknown): Problem {
        if (typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string') {
            return new Problem({ ...body, code: body.code, status });
        }
        return new Problem({ code: 'unexpected', status, ...text.problem.unexpected(status) });
    }

    static unreachable(): Problem {
        return new Problem({ code: 'unreachable', status: 0, ...text.problem.unreachable });
    }

    /** Whatever was thrown, as a problem. */
    static from(thrown: unknown): Problem {
        if (thrown instanceof Problem) return thrown;
        const detail = thrown instanceof Error ? thrown.message : String(thrown);
        return new Problem({ code: 'unexpected', status: 0, title: text.problem.inConsole, detail });
    }

    get isStale(): boolean {
        return this.status === 412;
    }

    get isUnauthenticated(): boolean {
        return this.status === 401;
    }

    /** What is wrong with the field at a JSON pointer, or below it. */
    at(pointer: string): string | undefined {
        const own = this.pointers.filter(
            one => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`),
        );
        return own.length > 0 ? own.map(one => one.detail).join('; ') : undefined;
    }

    /** What is wrong with fields that are none of these. */
    elsewhere(pointers: readonly string[]): readonly Pointer[] {
        const isShown = (one: Pointer) =>
            pointers.some(p => one.pointer === p || one.pointer.startsWith(`${p}/`));
        return this.pointers.filter(one => !isShown(one));
    }
}
