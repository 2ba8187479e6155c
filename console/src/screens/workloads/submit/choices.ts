import { useQuery } from '@tanstack/react-query';
import { quotas } from '../../../api/queries/quotas';
import { workspaces, type Workspace } from '../../../api/queries/workspaces';
import { quotaNames } from '../../../api/quotaNames';
import { useSession } from '../../../session/session';

/** Where one may submit: rooms, the quotas of one of them, and the sizes that it offers there. */
export function useChoices(workspace: string | null, quota: string | null) {
    const session = useSession();
    const { data: rooms } = useQuery(workspaces.list());
    const { data: forest } = useQuery(quotas.tree());
    const mine = (rooms ?? []).filter(room => session.may('workload:submit', room.metadata.name));
    const room = mine.find(one => one.metadata.name === workspace);
    const effective = quota ?? (room && defaultQuota(room));
    const { data: policy } = useQuery({
        ...workspaces.policy(workspace ?? '', effective ?? ''),
        enabled: room !== undefined && effective != null && session.may('workspace:read', workspace ?? ''),
    });
    const every = quotaNames(forest?.roots ?? []);
    return {
        isReady: rooms !== undefined,
        workspaces: mine.map(one => one.metadata.name),
        quotas: room?.status.allQuotas ? every : (room?.spec.quotas ?? []),
        presets: policy?.spec?.presets ?? [],
    };
}

function defaultQuota({ spec }: Workspace): string | undefined {
    return spec.defaultQuota ?? (spec.quotas?.length === 1 ? spec.quotas[0] : undefined);
}
