/** Quotas: the tree, and one of them. */
export const quotas = {
    title: 'Quotas',
    about: 'Who is entitled to how much. A quota lends what it does not use, and gets it back when it needs it.',
    columns: {
        name: 'Quota',
        pool: 'Pool',
        workspaces: 'Workspaces',
        state: 'Status',
        gpu: 'GPU',
        cpu: 'CPU',
        memory: 'Memory',
        tide: 'Tide',
        queue: 'Waiting',
        running: 'Running',
    },
    drawnOf: (drawn: string, guarantee: string) => `${drawn} of ${guarantee}`,
    state: { ready: 'Ready', scaling: 'Scaling', overdrawn: 'Overdrawn' },
    empty: {
        title: 'No quotas to see',
        administrator:
            'A root quota draws on a pool, its children share what it has. Start with one root over all of the pool, then a child for each team.',
        member: 'None of your workspaces has a quota yet. A platform administrator attaches one.',
    },
    filter: 'Find a quota',
    expandAll: 'Open all',
    collapseAll: 'Close all',
};
