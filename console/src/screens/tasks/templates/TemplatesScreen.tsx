import { Badge, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { templates, type Template } from '../../../api/queries/tasks';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { FilterBar, FindInput } from '../../../ui/FilterBar';
import { Icon } from '../../../ui/icons';
import { AnchorLink, ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import type { Column } from '../../../ui/table';
import { TasksNav } from '../TasksNav';
import { needs } from './needs';

const words = text.templates;

/** What tasks can be made of. */
export function TemplatesScreen() {
    const { find } = useSearch({ from: '/app/tasks/templates' });
    const navigate = useNavigate({ from: '/tasks/templates' });
    const workspace = useWorkspace();
    const session = useSession();
    const { data, error, refetch } = useQuery(templates.list(workspace));
    const wanted = find?.toLowerCase() ?? '';
    const rows = data?.filter(({ metadata, spec }) =>
        `${metadata.name} ${spec.description ?? ''}`.toLowerCase().includes(wanted),
    );
    const create = (
        <DisabledReason reason={session.whyNot('template:update', workspace)}>
            <ButtonLink to="/tasks/templates/new" leftSection={<Icon name="plus" size={16} />}>
                {words.create}
            </ButtonLink>
        </DisabledReason>
    );
    return (
        <Page title={text.tasks.title} about={text.tasks.about} actions={create}>
            <TasksNav />
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {rows === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <>
                    {(data?.length ?? 0) > 0 && (
                        <FilterBar>
                            <FindInput
                                label={words.find}
                                value={find}
                                onValue={value =>
                                    void navigate({
                                        search: before => ({ ...before, find: value }),
                                        replace: true,
                                    })
                                }
                            />
                        </FilterBar>
                    )}
                    <DataTable
                        label={text.tasks.sections.templates}
                        columns={COLUMNS}
                        rows={rows}
                        rowKey={row => row.metadata.uid}
                        empty={
                            <EmptyState title={find === undefined ? words.empty.title : words.empty.filtered}>
                                {words.empty.about}
                            </EmptyState>
                        }
                    />
                </>
            )}
        </Page>
    );
}

const names = words.columns;

const COLUMNS: Column<Template>[] = [
    {
        id: 'name',
        header: names.name,
        cell: ({ metadata, spec }) => (
            <AnchorLink
                fw={600}
                to="/tasks/templates/$template"
                params={{ template: metadata.name }}
                search={{ room: spec.workspace ?? undefined }}
            >
                {metadata.name}
            </AnchorLink>
        ),
    },
    { id: 'about', header: names.about, width: '34%', cell: row => row.spec.description },
    { id: 'room', header: names.room, cell: row => row.spec.workspace ?? words.everybody },
    { id: 'needs', header: names.resources, cell: row => needs(row.spec) },
    { id: 'versions', header: names.versions, align: 'right', cell: row => row.status.versions.length },
    {
        id: 'aliases',
        header: names.aliases,
        cell: row => <Aliases aliases={row.spec.aliases} />,
    },
    {
        id: 'run',
        header: names.run,
        hideHeader: true,
        align: 'right',
        cell: row => (
            <ButtonLink
                variant="default"
                to="/tasks/new"
                search={({ ws }) => ({ ws, template: row.metadata.name })}
            >
                {names.run}
            </ButtonLink>
        ),
    },
];

function Aliases({ aliases }: { aliases: Template['spec']['aliases'] }) {
    const all = Object.entries(aliases ?? {});
    if (all.length === 0) return null;
    return (
        <Group gap={4}>
            {all.map(([name, version]) => (
                <Badge key={name}>{words.alias(name, version)}</Badge>
            ))}
        </Group>
    );
}
