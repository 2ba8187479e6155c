import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../api/problem';
import { templates } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { AnchorLink, ButtonLink } from '../../../ui/links';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import styles from './TemplateChoice.module.css';

const words = text.tasks.form;

/** What can be run. */
export function TemplateChoice({ workspace }: { workspace: string | undefined }) {
    const { data, error, refetch } = useQuery(templates.list(workspace));
    if (data === undefined)
        return error ? (
            <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />
        ) : (
            <Skeleton height={240} />
        );
    if (data.length === 0)
        return (
            <EmptyState
                title={words.noTemplate}
                action={<ButtonLink to="/tasks/templates">{text.tasks.sections.templates}</ButtonLink>}
            >
                {text.templates.empty.about}
            </EmptyState>
        );
    return (
        <Section title={words.chooseTemplate}>
            <ul className={styles.cards}>
                {data.map(({ metadata, spec }) => (
                    <li key={metadata.uid} className={styles.card}>
                        <AnchorLink
                            fw={600}
                            to="/tasks/new"
                            search={before => ({ ...before, template: metadata.name })}
                            className={styles.link}
                        >
                            {metadata.name}
                        </AnchorLink>
                        <Text size="xs" c="dimmed">
                            {spec.workspace ?? text.templates.everybody}
                        </Text>
                        <Text size="sm">{spec.description}</Text>
                    </li>
                ))}
            </ul>
        </Section>
    );
}
