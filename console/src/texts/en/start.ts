/** The first steps on an empty server. */
export const start = {
    title: 'First steps',
    about: (done: number, all: number) =>
        `${done} of ${all} done. Each opens the same form that you will use later.`,
    dismiss: 'Do not show this again',
    list: 'First steps, in order',
    done: 'Done',
    steps: {
        pool: {
            title: 'See the pool',
            todo: 'No node is there yet. A server with GPUs adds itself when it starts; others are added in Nodes.',
            done: (nodes: number, gpus: number) => `${nodes} nodes with ${gpus} GPUs are there.`,
            action: 'Look at the nodes',
        },
        quotas: {
            title: 'First quotas',
            todo: 'A quota says how much a team is entitled to. What it does not use, it lends to the others.',
            done: (count: number) => `${count} quotas share the pool.`,
            action: 'New quota',
        },
        workspace: {
            title: 'First workspace',
            todo: 'A room for a team: its members, their work, and the quotas that they may use.',
            done: (names: string) => `There: ${names}.`,
            action: 'New workspace',
        },
        member: {
            title: 'Invite a member',
            todo: 'Somebody gets a name, a role in the workspace, and a link that lets them choose a password.',
            done: (names: string) => `Invited: ${names}.`,
            action: 'Invite somebody',
        },
        workload: {
            title: 'First workload',
            todo: 'Submit something, and see where it starts, or why it waits.',
            done: 'Work was submitted.',
            action: 'Submit work',
        },
    },
};
