import type { Workload } from '../../api/queries/workloads';
import { text } from '../../texts';

const words = text.workloads.why;

/** In one line, why a workload is where it is; empty if there is nothing to say. */
export function whyLine({ status }: Workload): string {
    const { state, replicas } = status;
    const nearest = status.reasons?.[0]?.text;
    switch (state) {
        case 'queued':
        case 'suspended':
            return join([nearest, status.position == null ? undefined : words.position(status.position)]);
        case 'held':
            return words.held;
        case 'running':
            if (replicas.running < replicas.wanted)
                return join([words.fewer(replicas.running, replicas.wanted), nearest]);
            if (replicas.ready != null && replicas.ready < replicas.running)
                return words.starting(replicas.ready, replicas.running);
            return '';
        case 'leaving': {
            const last = status.lastPreemption;
            return last == null ? '' : evictionLine(last.rule, last.by);
        }
        case 'failed':
            return join([
                status.exitCode == null ? undefined : words.exit(status.exitCode),
                status.exitDetail ?? undefined,
            ]);
        case 'stopped':
            return status.stopReason ?? '';
        case 'finished':
            return '';
    }
}

/** Why it had to go: for whom, or what was done. */
export function evictionLine(rule: string, by: string | null | undefined): string {
    return by == null ? (words.rules[rule] ?? rule) : words.roomFor(by, rule);
}

/** All that keeps it waiting, for whoever looks closer. */
export function whyAll({ status }: Workload): string | undefined {
    const all = status.reasons?.map(reason => reason.text) ?? [];
    return all.length > 1 ? all.join('\n') : undefined;
}

function join(parts: readonly (string | undefined)[]): string {
    return parts.filter(part => part !== undefined).join('; ');
}
