import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { tasks, templates } from '../../../api/queries/tasks';
import { useRooms } from '../../../session/rooms';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { draftLike, emptyDraft } from './draft';
import { RunForm } from './RunForm';
import { TemplateChoice } from './TemplateChoice';

const words = text.tasks.form;

/** Runs a task: a template is chosen, and its inputs are filled in. */
export function RunScreen() {
    const { template, version, like, config } = useSearch({ from: '/app/tasks/new' });
    const chosen = useWorkspace();
    const rooms = useRooms('task:submit');
    const model = useQuery({ ...tasks.one(like ?? ''), enabled: like !== undefined, staleTime: Infinity });
    const room = rooms?.find(one => one === chosen) ?? rooms?.[0];
    const name = template ?? model.data?.template ?? undefined;
    const begin = {
        ...emptyDraft,
        workspace: room ?? null,
        config: config ?? null,
        ...(model.data && draftLike(model.data)),
    };
    const isReady = rooms !== undefined && (like === undefined || !model.isPending);
    return (
        <Page
            title={words.title}
            about={words.about}
            actions={
                <ButtonLink to="/tasks" variant="default">
                    {text.tasks.detail.back}
                </ButtonLink>
            }
        >
            <ProblemAlert problem={model.error && Problem.from(model.error)} />
            {!isReady ? (
                <Skeleton height={400} />
            ) : room === undefined ? (
                <EmptyState title={words.title}>{words.nowhere}</EmptyState>
            ) : name === undefined ? (
                <TemplateChoice workspace={chosen} />
            ) : (
                <OfTemplate key={`${name}@${version ?? ''}`} name={name} version={version} begin={begin} />
            )}
        </Page>
    );
}

function OfTemplate(props: { name: string; version?: string; begin: typeof emptyDraft }) {
    const { name, version, begin } = props;
    const room = useWorkspace();
    const { data, error, refetch } = useQuery(templates.one(name, room, version));
    if (data === undefined)
        return error ? (
            <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />
        ) : (
            <Skeleton height={400} />
        );
    const own = data.spec.workspace ?? null;
    return (
        <RunForm
            template={data}
            version={version}
            begin={own === null ? begin : { ...begin, workspace: own }}
        />
    );
}
