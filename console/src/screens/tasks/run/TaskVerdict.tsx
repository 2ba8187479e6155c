import { Text } from '@mantine/core';
import type { Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { durationMs } from '../../../ui/duration';
import { Verdict } from '../../../ui/PreviewedForm';
import { ReasonTree } from '../../../ui/Reason';
import { span } from '../../../ui/time';

const words = text.tasks.preview;

/** What a dry run says of a new task. */
export function TaskVerdict({ task }: { task: Task }) {
    const waits = task.state === 'waiting';
    const { estimatedWait: wait, estimatedDuration: duration } = task;
    return (
        <>
            <Verdict>{waits ? words.waits : words.now}</Verdict>
            {waits && task.position != null && <p>{words.position(task.position)}</p>}
            {task.template != null && task.templateVersion != null && (
                <p>{words.runs(task.template, task.templateVersion)}</p>
            )}
            {waits && <ReasonTree reasons={task.reasons ?? []} />}
            <Text size="sm" c="dimmed">
                {wait != null && duration != null
                    ? words.estimate(span(durationMs(wait)), span(durationMs(duration)))
                    : words.unknown}
            </Text>
        </>
    );
}

/** The words on the button that does it. */
export function buttonOf(task: Task | undefined): string {
    return task?.state === 'waiting' ? words.submitWaiting : words.submit;
}
