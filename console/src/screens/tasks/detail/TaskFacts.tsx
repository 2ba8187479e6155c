import type { ReactNode } from 'react';
import type { Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { durationMs } from '../../../ui/duration';
import { Facts } from '../../../ui/Facts';
import { AnchorLink } from '../../../ui/links';
import { RelativeTime } from '../../../ui/RelativeTime';
import { useNow } from '../../../ui/useNow';
import { writePairs } from '../../workloads/submit/pairs';
import { length, times } from '../model';

const words = text.tasks.detail;
const names = words.facts;

/** Names and figures of a task; what there is not is left out. */
export function TaskFacts({ task }: { task: Task }) {
    const now = useNow(task.endedAt == null ? 1_000 : undefined);
    const { waitedMs, ranMs } = times(task, now);
    const time = (at: string | null | undefined) => at != null && <RelativeTime at={at} />;
    const expected = (duration: string | null | undefined) =>
        duration != null && <span title={names.estimateHint}>{length(durationMs(duration))}</span>;
    const facts: [string, ReactNode][] = [
        [
            names.template,
            task.template != null && (
                <AnchorLink
                    to="/tasks/templates/$template"
                    params={{ template: task.template }}
                    search={{ version: String(task.templateVersion ?? '') || undefined }}
                >
                    {words.version(task.template, task.templateVersion ?? 0)}
                </AnchorLink>
            ),
        ],
        [names.compute, computeOf(task)],
        [names.workspace, task.workspace],
        [names.owner, task.owner],
        [names.created, time(task.createdAt)],
        [names.started, time(task.startedAt)],
        [names.ended, time(task.endedAt)],
        [names.waited, waitedMs !== undefined && length(waitedMs)],
        [names.ran, ranMs !== undefined && length(ranMs)],
        [names.estimatedWait, expected(task.estimatedWait)],
        [names.estimatedDuration, expected(task.estimatedDuration)],
        [names.retries, task.retries > 0 && figure(task.retries)],
        [names.exit, task.exitCode],
        [names.labels, writePairs(task.labels).replaceAll('\n', ', ')],
        [names.id, task.id],
    ];
    return <Facts facts={facts.filter(([, value]) => value != null && value !== false && value !== '')} />;
}

/** Where it runs. */
export function computeOf({ resourceConfig }: Task): string {
    if (resourceConfig == null) return words.quota;
    return resourceConfig === 'default' ? text.tasks.form.shared : resourceConfig;
}
