import type { SimAmount, SimEvent } from '../../api/queries/simulations';
import { text } from '../../texts';
import { bytes, figure } from '../../ui/amounts';
import { span } from '../../ui/time';

const words = text.whatIf.event;

/** Seconds of virtual time, as scenarios write them. */
export function clock(seconds: number): string {
    return span(seconds * 1000);
}

/** `48`, or `H100 48, A100 16`, or `8 GPU, 64 CPU, 1 GiB`. */
export function amountText(amount: SimAmount): string {
    if (typeof amount === 'number') return figure(amount);
    return Object.entries(amount)
        .map(([name, value]) => `${name} ${name === 'memory' ? bytes(value) : figure(value)}`)
        .join(', ');
}

function draws(event: SimEvent): string[] {
    const accounts = Object.entries(event.draws ?? {}).map(
        ([account, amount]) => `${account} ${amountText(amount)}`,
    );
    const claim = event.class === undefined ? '' : ` (${event.class})`;
    return accounts.length === 0 ? [] : [accounts.join(' + ') + claim];
}

/** What an event says besides its word, in one line. */
export function details(event: SimEvent): string {
    const by = typeof event.by === 'string' ? [words.by(event.by)] : [];
    const rule = event.rule === undefined ? [] : [`(${event.rule})`];
    const replicas = event.replicas === undefined ? [] : [text.whatIf.result.replicas(event.replicas)];
    const left = event.replicas === undefined ? [] : [words.left(event.replicas)];
    const parts: Record<string, () => string[]> = {
        queued: () => [words.in(event.queue ?? ''), ...(event.reasons ?? []).slice(0, 1)],
        started: () => [...replicas, ...draws(event)],
        resumed: () => [...replicas, ...draws(event)],
        grown: () => [...replicas, ...draws(event)],
        moved: () => draws(event),
        preempted: () => [[...by, ...rule].join(' '), event.why ?? ''],
        suspended: () => [[...by, ...rule].join(' '), event.why ?? ''],
        shrunk: () => [...left, [...by, ...rule].join(' '), event.why ?? ''],
        lost: () => [event.on === undefined ? (event.reason ?? '') : words.on(event.on), ...left],
        failed: () =>
            event.restart === undefined ? [] : [words.restart(event.restart, event.restarts ?? 0)],
        stopped: () => [event.why ?? ''],
        refused: () => [event.command ?? '', ...(event.reasons ?? []), event.hint ?? ''],
        scaled: () => [`${amountText(event.from ?? 0)} → ${amountText(event.to ?? 0)}`],
        overdrawn: () => [words.overdrawn(amountText((event.by ?? 0) as SimAmount))],
        created: () => [event.guarantee === undefined ? '' : amountText(event.guarantee)],
        set: () => Object.entries(event.set ?? {}).map(([name, value]) => `${name}=${value}`),
        preview: () => [words.preview(event.command ?? '')],
        explain: () => [event.state ?? ''],
        show: () => [],
    };
    const own = parts[event.event]?.() ?? [...by, ...rule, event.reason ?? event.why ?? ''];
    return own.filter(part => part !== '').join(' · ');
}

/** The sentences that belong to an event, below it. */
export function sentences(event: SimEvent): string[] {
    if (event.event === 'explain') {
        const { evicted } = event;
        const gone = evicted
            ? [
                  `${words.evicted(clock(evicted.at), evicted.by === undefined ? '' : ` ${words.by(evicted.by)}`, evicted.rule)}: ${evicted.why}`,
              ]
            : [];
        return [...(event.reasons ?? []), ...draws(event), ...gone];
    }
    return event.event === 'queued' ? (event.reasons ?? []).slice(1) : [];
}

/** Whom an event is about. */
export function subject(event: SimEvent): string {
    return event.workload ?? event.quota ?? event.node ?? '';
}

/** Leaves out who passes the queue without waiting: that it starts says as much. */
export function withoutPassing(events: readonly SimEvent[]): SimEvent[] {
    return events.filter((event, index) => {
        const next = events[index + 1];
        const isPassing =
            next?.event === 'started' && next.workload === event.workload && next.at === event.at;
        return event.event !== 'queued' || !isPassing;
    });
}
