import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { tasks } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { JsonView } from '../../../ui/JsonView';
import { ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { ReasonTree } from '../../../ui/Reason';
import { whyLine } from '../model';
import { TaskStateBadge } from '../TaskStateBadge';
import { ResultSections } from './ResultSections';
import { TaskActions } from './TaskActions';
import { TaskFacts } from './TaskFacts';
import { TaskProgress } from './TaskProgress';
import styles from './Task.module.css';

const words = text.tasks.detail;

/** One task: how far it is, what it was given, what it gave back. */
export function TaskScreen() {
    const { task: name } = useParams({ from: '/app/tasks/$task' });
    const { data: task, error, refetch } = useQuery(tasks.one(name));
    return (
        <Page
            title={
                <span className={styles.title}>
                    {task?.name ?? name}
                    {task && <TaskStateBadge state={task.state} />}
                </span>
            }
            about={task && whyLine(task)}
            actions={
                <>
                    <ButtonLink to="/tasks" variant="default">
                        {words.back}
                    </ButtonLink>
                    {task && <TaskActions task={task} />}
                </>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {task === undefined ? (
                !error && <Skeleton height={320} />
            ) : (
                <div className={styles.columns}>
                    <div className={styles.column}>
                        <TaskProgress task={task} />
                        {task.state === 'waiting' && (task.reasons?.length ?? 0) > 0 && (
                            <Section title={words.why}>
                                <ReasonTree reasons={task.reasons ?? []} />
                            </Section>
                        )}
                        <ResultSections task={task} />
                        <Section title={words.inputs}>
                            {task.inputs == null ? (
                                <span className={styles.quiet}>{words.noInputs}</span>
                            ) : (
                                <JsonView label={words.inputs} value={task.inputs} />
                            )}
                        </Section>
                    </div>
                    <Section>
                        <TaskFacts task={task} />
                    </Section>
                </div>
            )}
        </Page>
    );
}
