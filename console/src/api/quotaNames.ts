import { useQuery } from '@tanstack/react-query';
import { quotas } from './queries/quotas';

interface Named {
    quota: { metadata: { name: string } };
    children: readonly Named[];
}

/** Names of all quotas of a tree, from the root down. */
export function quotaNames(trees: readonly Named[]): string[] {
    return trees.flatMap(tree => [tree.quota.metadata.name, ...quotaNames(tree.children)]);
}

/** The names of all quotas that one may see. */
export function useQuotaNames(): string[] | undefined {
    const { data } = useQuery(quotas.tree());
    return data && quotaNames(data.roots);
}
