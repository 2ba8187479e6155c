import { AnchorLink } from './links';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

interface Props {
    name: string;
    uid?: string | null;
    /** Alone in its cell, where nobody takes it for text. */
    isAlone?: boolean;
}

/** Leads to a workload. Of one that the reader may not see the server tells only what it is: that is no link. */
export function WorkloadLink({ name, uid, isAlone = false }: Props) {
    if (!NAME.test(name)) return <>{name}</>;
    return (
        <AnchorLink
            inherit
            underline={isAlone ? 'hover' : 'always'}
            to="/workloads/$workload"
            params={{ workload: uid ?? name }}
        >
            {name}
        </AnchorLink>
    );
}
