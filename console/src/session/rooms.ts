import { useQuery } from '@tanstack/react-query';
import { workspaces } from '../api/queries/workspaces';
import { useSession } from './session';

/** The workspaces in which one may do something; `undefined` while they are read. */
export function useRooms(action: string): string[] | undefined {
    const session = useSession();
    const { data } = useQuery(workspaces.list());
    return data?.map(one => one.metadata.name).filter(name => session.may(action, name));
}
