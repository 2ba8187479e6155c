import type { TestServer } from './server';

export const PASSWORD = 'correct horse battery';

/** A user with a password, and the rooms that they are in. */
export async function makeUser(
    server: TestServer,
    name: string,
    roles: Record<string, string> = {},
): Promise<void> {
    await server.call('POST', '/api/v1/users', { metadata: { name }, spec: {} });
    await choosePassword(server, name);
    for (const [workspace, role] of Object.entries(roles)) {
        await server.call('PUT', `/api/v1/workspaces/${workspace}/members/${name}`, { role });
    }
}

/** Gives somebody the password of all tests, by an invitation. */
export async function choosePassword(server: TestServer, name: string): Promise<void> {
    const { secret } = await server.call<{ secret: string }>('POST', `/api/v1/users/${name}:invite`);
    await server.call('POST', '/api/v1/invitations:accept', { secret, password: PASSWORD });
}

/** A workspace with quotas attached. */
export async function makeWorkspace(server: TestServer, name: string, quotas: string[] = []): Promise<void> {
    await server.call('POST', '/api/v1/workspaces', { metadata: { name }, spec: {} });
    for (const quota of quotas) await server.call('POST', `/api/v1/workspaces/${name}:attach`, { quota });
}

export async function makeQuota(
    server: TestServer,
    name: string,
    spec: Record<string, unknown>,
): Promise<void> {
    await server.call('POST', '/api/v1/quotas', { metadata: { name }, spec });
}

/** Training that is only played; it leaves at once when it must. */
export async function submit(server: TestServer, name: string, spec: Record<string, unknown>): Promise<void> {
    const played = { gracePeriod: '0s', virtual: { duration: '10h' }, workspace: 'default' };
    await server.call('POST', '/api/v1/workloads', { metadata: { name }, spec: { ...played, ...spec } });
}
