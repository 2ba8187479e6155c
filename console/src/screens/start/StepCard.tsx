import { Button, Text } from '@mantine/core';
import { text } from '../../texts';
import { Icon } from '../../ui/icons';
import { ButtonLink } from '../../ui/links';
import type { Present, Step } from './steps';
import styles from './Start.module.css';

const words = text.start.steps;

interface Props {
    step: Step;
    present: Present;
    isDone: boolean;
    isNext: boolean;
    onOpen(step: Step): void;
}

/** One step: what it is for, whether it is done, and the way to do it. */
export function StepCard({ step, present, isDone, isNext, onOpen }: Props) {
    return (
        <li
            className={styles.step}
            data-done={isDone || undefined}
            data-next={isNext || undefined}
            aria-current={isNext ? 'step' : undefined}
        >
            <h3>
                {isDone && (
                    <span className={styles.check}>
                        <Icon name="check" size={16} />
                        <span className={styles.said}>{text.start.done}</span>
                    </span>
                )}
                {words[step].title}
            </h3>
            <Text size="sm" c="dimmed">
                {isDone ? said(step, present) : words[step].todo}
            </Text>
            <div className={styles.action}>
                <Action step={step} isDone={isDone} isNext={isNext} onOpen={onOpen} />
            </div>
        </li>
    );
}

function said(step: Step, present: Present): string {
    if (step === 'pool') return words.pool.done(present.nodes, present.gpus);
    if (step === 'quotas') return words.quotas.done(present.quotas);
    if (step === 'workspace') return words.workspace.done(present.workspaces.join(', '));
    return step === 'member' ? words.member.done(present.members.join(', ')) : words.workload.done;
}

function Action({ step, isDone, isNext, onOpen }: Omit<Props, 'present'>) {
    const variant = isNext ? 'filled' : 'default';
    if (step === 'pool')
        return (
            <ButtonLink to="/nodes" variant={variant}>
                {words.pool.action}
            </ButtonLink>
        );
    if (isDone) return null;
    if (step !== 'workload') {
        return (
            <Button variant={variant} onClick={() => onOpen(step)}>
                {words[step].action}
            </Button>
        );
    }
    return (
        <ButtonLink to="/workloads/new" variant={variant}>
            {words.workload.action}
        </ButtonLink>
    );
}
