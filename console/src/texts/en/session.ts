/** Logging in and out, and one's own account. */
export const session = {
    logIn: 'Log in',
    welcome: 'Log in to Tidegate',
    user: 'Name',
    password: 'Password',
    withProvider: (issuer: string) => `Log in with ${issuer}`,
    or: 'or',
    expired: 'Your session is over. Log in again to go on.',
    forgotten: 'Forgot your password? An administrator can send you a link: tidegate user invite NAME.',
    invitation: {
        title: 'Choose a password',
        about: 'This link works once. Afterwards you log in with your name and this password.',
        new: 'New password',
        again: 'The same again',
        submit: 'Set password and log in',
        differ: 'The two are not the same',
        short: 'At least 12 characters',
        missing: 'This page is opened by an invitation link. Ask an administrator for one.',
    },
    profile: {
        title: 'Profile',
        user: 'Name',
        rights: 'Rights',
        member: 'Member',
        until: 'Session ends',
        workspaces: 'Workspaces',
        noWorkspaces: 'You are in no workspace yet. An administrator of a workspace can add you.',
        role: 'Role',
        change: 'Change password',
        old: 'Present password',
        oldHint: 'Leave empty if you have none yet.',
        changed: (ended: number) =>
            ended === 0
                ? 'The password is changed.'
                : `The password is changed; ${ended} other ${ended === 1 ? 'session has' : 'sessions have'} ended.`,
    },
    denied: {
        administrator: 'Only platform administrators may do this.',
        action: (action: string, workspace: string) =>
            `Your role in ${workspace} does not include ${action}.`,
        nowhere: (action: string) => `None of your roles includes ${action}.`,
    },
};
