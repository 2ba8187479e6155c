/** The frame around all screens. */
export const shell = {
    product: 'Tidegate',
    skip: 'Skip to content',
    menu: 'Menu',
    navigation: 'Main navigation',
    nav: {
        overview: 'Overview',
        quotas: 'Quotas',
        workloads: 'Workloads',
        tasks: 'Tasks',
        compute: 'Compute',
        usage: 'Usage and bills',
        center: 'Scheduling center',
        nodes: 'Nodes',
        whatIf: 'What-if',
        administration: 'Administration',
    },
    workspace: 'Workspace',
    allWorkspaces: 'All workspaces',
    theme: { label: 'Colors', light: 'Light', dark: 'Dark', auto: 'As the system' },
    connection: {
        connecting: 'Connecting',
        live: 'Live',
        lost: 'Reconnecting',
        liveHint: 'Changes appear as they happen.',
        lostHint:
            'The connection to the server is lost. What you see may be old. It is tried again by itself.',
    },
    account: 'Account',
    profile: 'Profile',
    logOut: 'Log out',
    administrator: 'Platform administrator',
};
