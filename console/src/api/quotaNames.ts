import { useQuery } from '@tanstack/react-query';
import { quotas, type QuotaTree } from './queries/quotas';

/** The names of all quotas that one may see, parents before children. */
export function useQuotaNames(): string[] | undefined {
    const { data } = useQuery(quotas.tree());
    return data && names(data.roots);
}

function names(trees: readonly QuotaTree[]): string[] {
    return trees.flatMap(tree => [tree.quota.metadata.name, ...names(tree.children)]);
}
