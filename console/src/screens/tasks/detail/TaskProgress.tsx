import { Progress, Text } from '@mantine/core';
import type { Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { useNow } from '../../../ui/useNow';
import { progress } from '../model';

const words = text.tasks.detail;

/** How far it has come, by what earlier tasks of the same version took. */
export function TaskProgress({ task }: { task: Task }) {
    const now = useNow(task.endedAt == null ? 1_000 : undefined);
    const found = progress(task, now);
    if (!found) return null;
    const { share, passed, expected } = found;
    const isOver = share > 1;
    return (
        <Section title={task.state === 'waiting' ? text.tasks.states.waiting : words.progress}>
            <Progress
                value={Math.min(100, share * 100)}
                color={isOver ? 'sand' : 'tide'}
                aria-label={words.progress}
                mb={6}
            />
            <Text size="sm">
                {isOver ? words.over(passed, expected) : words.progressOf(passed, expected)}
            </Text>
        </Section>
    );
}
