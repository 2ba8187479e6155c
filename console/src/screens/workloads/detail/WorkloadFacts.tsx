import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { Facts } from '../../../ui/Facts';
import { RelativeTime } from '../../../ui/RelativeTime';
import { joinCommand } from '../submit/command';
import { writePairs } from '../submit/pairs';
import styles from './Detail.module.css';

const words = text.workloads.detail.facts;

/** Names and figures of a workload; what there is not is left out. */
export function WorkloadFacts({ workload: { metadata, spec, status } }: { workload: Workload }) {
    const { replicas } = status;
    const submitted = spec.priority ?? 1;
    const time = (at: string | null | undefined) => at != null && <RelativeTime at={at} />;
    const facts: [string, ReactNode][] = [
        [words.module, text.workloads.modules[status.module]],
        [words.quota, status.quota],
        [words.workspace, status.workspace],
        [words.owner, status.owner],
        [
            words.priority,
            submitted === status.priority
                ? status.priority
                : `${status.priority} (${words.submittedPriority(submitted)})`,
        ],
        [words.replicas, `${figure(replicas.running)} / ${figure(replicas.wanted)}`],
        [words.gpu, figure(status.gpu)],
        [
            words.class,
            status.class != null && (
                <span title={text.workloads.detail.classesAbout[status.class]}>
                    {text.workloads.detail.classes[status.class]}
                </span>
            ),
        ],
        [words.submitted, time(metadata.createdAt)],
        [words.started, time(status.startedAt)],
        [words.ended, time(status.endedAt)],
        [words.saved, time(status.savedAt)],
        [words.preemptions, words.times(status.preemptions)],
        [words.restarts, status.restarts > 0 && figure(status.restarts)],
        [
            words.exit,
            status.exitCode != null &&
                [status.exitCode, status.exitDetail].filter(one => one != null).join(', '),
        ],
        [words.stopReason, status.stopReason],
        [
            words.command,
            (spec.command?.length ?? 0) > 0 && (
                <code className={styles.clamped}>{joinCommand(spec.command ?? [])}</code>
            ),
        ],
        [
            words.url,
            status.url != null && (
                <Anchor inherit href={status.url}>
                    {status.url}
                </Anchor>
            ),
        ],
        [words.labels, writePairs(metadata.labels).replaceAll('\n', ', ')],
        [words.uid, metadata.uid],
    ];
    return <Facts facts={facts.filter(([, value]) => value != null && value !== false && value !== '')} />;
}
