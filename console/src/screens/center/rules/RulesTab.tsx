import { Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../api/problem';
import { workspaces, type Workspace } from '../../../api/queries/workspaces';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { HeldBack } from './HeldBack';
import { RulesEditor } from './RulesEditor';

const words = text.center.rules;

interface Props {
    room: Workspace;
    /** The quota that is looked at; the default one, or the first, if absent. */
    quota?: string;
    onQuota(quota: string | undefined): void;
}

/** The rules of a workspace in one of its quotas. */
export function RulesTab({ room, quota, onQuota }: Props) {
    const all = useQuotaNames();
    const names = room.status.allQuotas ? all : room.spec.quotas;
    const shown = quota ?? room.spec.defaultQuota ?? names?.[0];
    if (names === undefined) return <Skeleton height={240} />;
    if (shown === undefined) {
        return <EmptyState title={words.noQuota.title}>{words.noQuota.about}</EmptyState>;
    }
    return (
        <>
            <Select
                label={words.quota}
                maw={280}
                searchable={names.length > 8}
                allowDeselect={false}
                data={[...new Set([...names, shown])]}
                value={shown}
                onChange={value => onQuota(value ?? undefined)}
            />
            <Rules key={shown} room={room.metadata.name} quota={shown} />
            <HeldBack room={room.metadata.name} quota={shown} />
        </>
    );
}

function Rules({ room, quota }: { room: string; quota: string }) {
    const { data, error, refetch } = useQuery(workspaces.policy(room, quota));
    if (data) return <RulesEditor room={room} quota={quota} policy={data} />;
    if (!error) return <Skeleton height={240} />;
    return <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />;
}
