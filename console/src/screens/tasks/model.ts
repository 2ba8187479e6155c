import type { Task } from '../../api/queries/tasks';
import { text } from '../../texts';
import { durationMs } from '../../ui/duration';
import { span } from '../../ui/time';

const words = text.tasks.why;

/** Why a task waits, or how it ended, in a line. */
export function whyLine(task: Task): string {
    if (task.state === 'waiting') {
        const parts = [
            task.position == null ? undefined : words.position(task.position),
            task.reasons?.[0]?.text,
        ];
        return parts.filter(part => part !== undefined).join('; ');
    }
    const parts = [
        task.exitCode != null && task.exitCode !== 0 ? words.exit(task.exitCode) : undefined,
        task.detail ?? undefined,
        task.retries > 0 ? words.retries(task.retries) : undefined,
    ];
    return parts.filter(part => part !== undefined).join(', ');
}

/** How long it waited before its latest start, and how long it has run since; up to now where that goes on. */
export function times(task: Task, now: number): { waitedMs?: number; ranMs?: number } {
    const [created, started, ended] = [task.createdAt, task.startedAt, task.endedAt].map(at =>
        at == null ? undefined : Date.parse(at),
    ) as [number, number | undefined, number | undefined];
    if (task.state === 'waiting') return { waitedMs: Math.max(0, now - created) };
    if (started === undefined) return { waitedMs: (ended ?? now) - created };
    return { waitedMs: started - created, ranMs: Math.max(0, (ended ?? now) - started) };
}

/** A length of time, also one that is no second. */
export function length(ms: number): string {
    return ms > 0 && ms < 1_000 ? `${Math.round(ms)}ms` : span(ms);
}

/** How far it has come by what earlier ones took, from 0 to 1; `undefined`: nobody knows. */
export function progress(
    task: Task,
    now: number,
): { share: number; passed: string; expected: string } | undefined {
    const { waitedMs, ranMs } = times(task, now);
    const [passed, expected] =
        task.state === 'waiting'
            ? [waitedMs, task.estimatedWait]
            : task.state === 'running'
              ? [ranMs, task.estimatedDuration]
              : [];
    if (passed === undefined || expected == null) return undefined;
    const whole = durationMs(expected);
    return {
        share: whole === 0 ? 1 : passed / whole,
        passed: length(passed),
        expected: length(whole),
    };
}
