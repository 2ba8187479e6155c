import { Alert, Button, List, Text } from '@mantine/core';
import type { Problem } from '../api/problem';
import { text } from '../texts';
import { Icon } from './icons';

interface Props {
    problem: Problem | null | undefined;
    /** JSON pointers of fields that show their own part. */
    shown?: readonly string[];
    onRetry?(): void;
}

/** Why something was not done, where it was tried: what happened, the figures, what to do. */
export function ProblemAlert({ problem, shown = [], onRetry }: Props) {
    if (!problem) return null;
    const pointers = problem.elsewhere(shown);
    return (
        <Alert
            color="coral"
            variant="light"
            role="alert"
            title={problem.title}
            icon={<Icon name="warning" />}
        >
            {problem.detail !== '' && <Text size="sm">{problem.detail}</Text>}
            {pointers.length > 0 && (
                <List size="sm" mt={4}>
                    {pointers.map(one => (
                        <List.Item key={one.pointer + one.detail}>
                            <code>{one.pointer}</code> {one.detail === problem.detail ? '' : one.detail}
                        </List.Item>
                    ))}
                </List>
            )}
            {problem.reasons.length > 0 && (
                <List size="sm" mt={4}>
                    {problem.reasons.map(reason => (
                        <List.Item key={reason}>{reason}</List.Item>
                    ))}
                </List>
            )}
            {problem.hint !== '' && (
                <Text size="sm" mt={4} c="dimmed">
                    {problem.hint}
                </Text>
            )}
            {onRetry && (
                <Button mt="xs" variant="default" onClick={onRetry}>
                    {text.problem.retry}
                </Button>
            )}
        </Alert>
    );
}
