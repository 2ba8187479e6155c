import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { session, type Whoami } from '../api/queries/session';
import { text } from '../texts';

/** Who is logged in, and what they may do. */
export interface Session {
    user: string;
    administrator: boolean;
    workspaces: NonNullable<Whoami['workspaces']>;
    expiresAt?: string | null;
    /** Why not; `undefined`: one may. Without a workspace: whether one may somewhere, or of the platform. */
    whyNot(action: string, workspace?: string): string | undefined;
    may(action: string, workspace?: string): boolean;
}

export function useSession(): Session {
    const { data: who } = useSuspenseQuery(session.whoami());
    const { data: roles } = useQuery(session.roles());
    const memberships = who.workspaces ?? [];
    const includes = (role: string, action: string) =>
        roles?.items.find(one => one.name === role)?.actions.includes(action) ?? false;

    const whyNot = (action: string, workspace?: string): string | undefined => {
        if (who.administrator) return undefined;
        if (!isOfWorkspace(action)) return text.session.denied.administrator;
        const rooms =
            workspace === undefined ? memberships : memberships.filter(one => one.workspace === workspace);
        if (rooms.some(one => includes(one.role, action))) return undefined;
        return workspace === undefined
            ? text.session.denied.nowhere(action)
            : text.session.denied.action(action, workspace);
    };
    return {
        user: who.user,
        administrator: who.administrator,
        workspaces: memberships,
        expiresAt: who.expiresAt,
        whyNot,
        may: (action, workspace) => whyNot(action, workspace) === undefined,
    };
}

const OF_PLATFORM = ['workspace:create', 'audit:read-all', 'usage:correct', 'resource-config:approve'];

/** Actions that roles of a workspace can include; all others are of the platform. */
export function isOfWorkspace(action: string): boolean {
    const isOfRoom =
        /^(workload|task|template|resource-request|resource-config|member|policy|webhook|audit|usage|workspace):/.test(
            action,
        );
    return isOfRoom && !OF_PLATFORM.includes(action);
}
