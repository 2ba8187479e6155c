import type { NewResourceRequest } from '../../../api/queries/dedicated';

/** As inputs of numbers have it: empty until something is typed. */
type Typed = number | string;

export type Kind = 'once' | 'weekly' | 'byUsage';

/** What stands in the form. What is not for the kind is kept, and not sent. Times are local, as the browser has them. */
export interface Draft {
    workspace: string | null;
    supply: string | null;
    reason: string;
    kind: Kind;
    gpu: Typed;
    cpu: Typed;
    memory: string;
    start: string;
    end: string;
    days: readonly string[];
    from: string;
    to: string;
    timeZone: string;
    firstDay: string;
    lastDay: string;
    minimum: Typed;
    step: Typed;
    threshold: Typed;
    wait: string;
    coolDown: string;
    until: string;
    lend: boolean;
    cap: Typed;
}

export const emptyDraft: Draft = {
    workspace: null,
    supply: null,
    reason: '',
    kind: 'once',
    gpu: '',
    cpu: '',
    memory: '',
    start: '',
    end: '',
    days: ['mon', 'tue', 'wed', 'thu', 'fri'],
    from: '09:00',
    to: '18:00',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    firstDay: '',
    lastDay: '',
    minimum: '',
    step: '',
    threshold: '',
    wait: '',
    coolDown: '',
    until: '',
    lend: false,
    cap: '',
};

const number = (typed: Typed) => (typed === '' ? undefined : Number(typed));
const word = (typed: string) => (typed.trim() === '' ? undefined : typed.trim());
const instant = (typed: string) => (typed === '' ? undefined : new Date(typed).toISOString());

/** Whether enough is said to be asked about. */
export function isSound(draft: Draft): boolean {
    return draft.reason.trim() !== '' && draft.gpu !== '' && (draft.kind !== 'byUsage' || draft.step !== '');
}

/** Only what was said: everything else is the server's to choose. */
export function bodyOf(draft: Draft): NewResourceRequest {
    const size = { gpu: number(draft.gpu) ?? 0, cpu: number(draft.cpu), memory: word(draft.memory) };
    const weekly = {
        days: [...draft.days],
        from: draft.from,
        to: draft.to,
        timeZone: draft.timeZone,
        firstDay: draft.firstDay,
        lastDay: draft.lastDay,
    };
    const minimum = number(draft.minimum);
    const body: NewResourceRequest = {
        workspace: draft.workspace ?? undefined,
        supply: draft.supply ?? undefined,
        reason: draft.reason.trim(),
        reserved:
            draft.kind === 'once'
                ? { size, start: instant(draft.start), end: instant(draft.end) }
                : draft.kind === 'weekly'
                  ? { size, weekly }
                  : undefined,
        byUsage:
            draft.kind === 'byUsage'
                ? {
                      maximum: size,
                      minimum: minimum === undefined ? undefined : { gpu: minimum },
                      step: { gpu: number(draft.step) ?? 0 },
                      threshold: number(draft.threshold),
                      wait: word(draft.wait),
                      coolDown: word(draft.coolDown),
                      until: instant(draft.until),
                  }
                : undefined,
        lend: draft.lend ? true : undefined,
        cap: number(draft.cap),
    };
    // Without what is `undefined`, so that what means the same is the same.
    return JSON.parse(JSON.stringify(body)) as NewResourceRequest;
}
