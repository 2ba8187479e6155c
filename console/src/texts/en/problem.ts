/** What went wrong on the way; what the server refuses, it explains itself. */
export const problem = {
    unreachable: {
        title: 'The server cannot be reached',
        detail: 'No answer came. The network may be down, or the server may be restarting.',
        hint: 'The console tries again by itself; what you typed is still here.',
    },
    unexpected: (status: number) => ({
        title: 'The answer was not understood',
        detail: `The server answered ${status} without saying why.`,
        hint: 'The log of the server says more.',
    }),
    inConsole: 'Something went wrong in the console',
    retry: 'Try again',
    notHere: 'There is no such page, or it is not yours to see.',
    home: 'To the start',
};
