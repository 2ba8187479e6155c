interface Named {
    quota: { metadata: { name: string } };
    children: readonly Named[];
}

/** Names of all quotas of a tree, from the root down. */
export function quotaNames(trees: readonly Named[]): string[] {
    return trees.flatMap(tree => [tree.quota.metadata.name, ...quotaNames(tree.children)]);
}
