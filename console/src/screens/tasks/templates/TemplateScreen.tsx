import { Badge, Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { templateChanges, templates, type Template } from '../../../api/queries/tasks';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { JsonView } from '../../../ui/JsonView';
import { ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import styles from '../detail/Task.module.css';
import { TemplateFacts } from './TemplateFacts';
import { VersionTable } from './VersionTable';

const words = text.templates.detail;

/** One template: a version of it in full, and all that there are. */
export function TemplateScreen() {
    const { template: name } = useParams({ from: '/app/tasks/templates/$template' });
    const { room, version } = useSearch({ from: '/app/tasks/templates/$template' });
    const { data, error, refetch } = useQuery(templates.one(name, room, version));
    return (
        <Page
            title={
                <span className={styles.title}>
                    {name}
                    {data && (
                        <Badge size="lg">
                            {words.version(data.status.version)}
                            {data.status.version === data.status.latest && ` · ${words.latest}`}
                        </Badge>
                    )}
                </span>
            }
            about={data?.spec.description}
            actions={
                <>
                    <ButtonLink to="/tasks/templates" variant="default">
                        {words.back}
                    </ButtonLink>
                    {data && <Actions template={data} version={version} />}
                </>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={320} />
            ) : (
                <div className={styles.columns}>
                    <div className={styles.column}>
                        <Section title={words.versions}>
                            <VersionTable template={data} />
                        </Section>
                        <Section title={words.schema}>
                            {data.spec.inputSchema == null ? (
                                <span className={styles.quiet}>{words.anyInputs}</span>
                            ) : (
                                <JsonView label={words.schema} value={data.spec.inputSchema} />
                            )}
                        </Section>
                    </div>
                    <Section title={words.version(data.status.version)}>
                        <TemplateFacts template={data} />
                    </Section>
                </div>
            )}
        </Page>
    );
}

function Actions({ template, version }: { template: Template; version: string | undefined }) {
    const session = useSession();
    const navigate = useNavigate();
    const [change, setChange] = useState<PlannedChange>();
    const { metadata, spec } = template;
    const { name } = metadata;
    const room = spec.workspace ?? undefined;
    const whyNot =
        room === undefined
            ? session.administrator
                ? undefined
                : words.everybodys
            : session.whyNot('template:update', room);
    return (
        <Group gap="xs">
            <ButtonLink to="/tasks" search={({ ws }) => ({ ws, template: name })} variant="default">
                {words.tasks}
            </ButtonLink>
            <DisabledReason reason={whyNot}>
                <Button
                    variant="default"
                    onClick={() =>
                        setChange({
                            title: words.removeTitle(name),
                            confirm: words.remove,
                            about: words.removeAbout,
                            send: asked => templateChanges.remove(template, asked),
                            moves: ['templates'],
                        })
                    }
                >
                    {words.remove}
                </Button>
            </DisabledReason>
            <DisabledReason reason={whyNot}>
                <ButtonLink
                    variant="default"
                    to="/tasks/templates/$template/edit"
                    params={{ template: name }}
                    search={{ room, version }}
                >
                    {words.change}
                </ButtonLink>
            </DisabledReason>
            <DisabledReason reason={session.whyNot('task:submit', room)}>
                <ButtonLink to="/tasks/new" search={({ ws }) => ({ ws, template: name, version })}>
                    {words.run}
                </ButtonLink>
            </DisabledReason>
            <PreviewDialog
                change={change}
                onClose={() => setChange(undefined)}
                onDone={() => void navigate({ to: '/tasks/templates' })}
            />
        </Group>
    );
}
