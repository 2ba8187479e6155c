import { Stack } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { Problem } from '../api/problem';
import { text } from '../texts';
import { EmptyState } from './EmptyState';
import { ButtonLink } from './links';
import { ProblemAlert } from './ProblemAlert';

/** A screen that could not be shown. */
export function RouteError({ error }: { error: unknown }) {
    const router = useRouter();
    return (
        <Stack p="md" maw={640}>
            <ProblemAlert problem={Problem.from(error)} onRetry={() => void router.invalidate()} />
        </Stack>
    );
}

/** What is not there, and what one may not know of, look the same. */
export function NotFound() {
    return (
        <EmptyState
            title={text.problem.notHere}
            action={
                <ButtonLink to="/" variant="default">
                    {text.problem.home}
                </ButtonLink>
            }
        >
            {''}
        </EmptyState>
    );
}
