import { Alert, Button, Group, Text } from '@mantine/core';
import type { Problem } from '../../api/problem';
import { text } from '../../texts';
import { Icon } from '../../ui/icons';
import { ProblemAlert } from '../../ui/ProblemAlert';
import type { Spot } from './highlight';

const words = text.whatIf.editor;

/** Where a problem lies in the text, if it says so. */
export function spotOf(problem: Problem | undefined): Spot | undefined {
    const pointer = problem?.pointers.find(one => one.line != null);
    if (pointer?.line == null) return undefined;
    return { line: pointer.line, column: pointer.column ?? 1 };
}

interface Props {
    id: string;
    problem: Problem | undefined;
    spot: Spot | undefined;
    onShow(): void;
}

/** Why the text cannot be read: where, and what may stand there. */
export function ScenarioProblem({ id, problem, spot, onShow }: Props) {
    if (!problem) return null;
    if (!spot) return <ProblemAlert problem={problem} />;
    return (
        <Alert
            id={id}
            color="coral"
            variant="light"
            role="alert"
            p="xs"
            title={words.at(spot.line, spot.column)}
            icon={<Icon name="warning" />}
        >
            <Group justify="space-between" align="end" wrap="nowrap" gap="sm">
                <Text size="sm">{problem.detail.replace(/^line \d+, column \d+: /, '')}</Text>
                <Button variant="default" size="compact-xs" miw="max-content" onClick={onShow}>
                    {words.show}
                </Button>
            </Group>
        </Alert>
    );
}
