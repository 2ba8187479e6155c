import { AnchorLink } from './links';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Leads to a workload. Of one that the reader may not see the server tells only what it is: that is no link. */
export function WorkloadLink({ name, uid }: { name: string; uid?: string | null }) {
    if (!NAME.test(name)) return <>{name}</>;
    return (
        <AnchorLink inherit underline="always" to="/workloads/$workload" params={{ workload: uid ?? name }}>
            {name}
        </AnchorLink>
    );
}
