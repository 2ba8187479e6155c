import { useQueries, useQuery } from '@tanstack/react-query';
import { users } from '../../../api/queries/people';
import { workspaces } from '../../../api/queries/workspaces';
import { useSession } from '../../../session/session';

/** An account of a program, and the only room that it acts in. */
export interface Account {
    name: string;
    workspace: string;
    role: string;
}

/**
 * The service accounts that one governs. Whoever may see all users reads them from there, in one request; everybody
 * else from the members of their own rooms.
 */
export function useAccounts(): { data?: Account[]; error: unknown; refetch(): void } {
    const session = useSession();
    const all = useQuery({ ...users.list(), enabled: session.administrator });
    const rooms = session.workspaces
        .map(one => one.workspace)
        .filter(name => !session.administrator && session.may('member:update', name));
    const members = useQueries({ queries: rooms.map(name => workspaces.members(name)) });
    if (session.administrator) {
        const data = all.data?.flatMap(user => {
            const workspace = user.status.serviceAccountOf;
            if (workspace == null) return [];
            const role = user.status.workspaces.find(one => one.workspace === workspace)?.role ?? '';
            return [{ name: user.metadata.name, workspace, role }];
        });
        return { data, error: all.error, refetch: () => void all.refetch() };
    }
    const data = members.flatMap((list, index) =>
        (list.data ?? [])
            .filter(member => member.serviceAccount)
            .map(member => ({ name: member.user, workspace: rooms[index] ?? '', role: member.role })),
    );
    return {
        data: members.every(list => list.data !== undefined) ? data : undefined,
        error: members.find(list => list.error)?.error,
        refetch: () => members.forEach(list => void list.refetch()),
    };
}
