import { choosePassword, makeQuota, makeUser, makeWorkspace, submit } from './people';
import type { TestServer } from './server';

/** Lets work of a quota evict training and notebooks of the quotas below it. */
export async function letPreemptBelow(server: TestServer, quota: string): Promise<void> {
    const { metadata, spec } = await server.call<{ metadata: { version: string }; spec: object }>(
        'GET',
        `/api/v1/quotas/${quota}`,
    );
    const victims = { priorities: '1-9', modules: ['training', 'notebook'] };
    await server.call(
        'PUT',
        `/api/v1/quotas/${quota}`,
        { metadata: { name: quota }, spec: { ...spec, preemption: { childLevel: { victims } } } },
        { 'If-Match': `"${metadata.version}"` },
    );
}

/** Three teams on one pool of 128 GPUs: inference above, two teams below it. Everybody can log in. */
export async function makeTeams(server: TestServer): Promise<void> {
    await choosePassword(server, 'admin');
    await makeQuota(server, 'Quota1.1', { parent: 'main', guarantee: { gpu: 48 } });
    await makeQuota(server, 'Quota1.2', { parent: 'main', guarantee: { gpu: 72 } });
    await letPreemptBelow(server, 'main');
    await makeWorkspace(server, 'team-a', ['main']);
    await makeWorkspace(server, 'team-b', ['Quota1.1']);
    await makeWorkspace(server, 'team-c', ['Quota1.2']);
    await makeUser(server, 'berta', { 'team-b': 'developer' });
}

/**
 * What these teams do on a normal day. Only c-tune has priority 1: who must leave is then the same however much time has
 * passed between their starts.
 */
export async function makeWork(server: TestServer): Promise<void> {
    const b = { quota: 'Quota1.1', workspace: 'team-b' };
    const c = { quota: 'Quota1.2', workspace: 'team-c' };
    const gpu = (gpu: number) => ({ resources: { gpu } });
    await submit(server, 'b-train', { ...b, priority: 3, replicas: 4, ...gpu(8) });
    await submit(server, 'b-note', { ...b, module: 'notebook', priority: 2, ...gpu(8) });
    await submit(server, 'b-half', { ...b, module: 'notebook', priority: 2, ...gpu(0.5) });
    await submit(server, 'c-train', { ...c, priority: 2, replicas: 6, ...gpu(8) });
    await submit(server, 'c-tune', { ...c, priority: 1, replicas: 2, ...gpu(8) });
    await submit(server, 'c-note', { ...c, module: 'notebook', priority: 2, ...gpu(4) });
    await submit(server, 'c-idle', { ...c, priority: 2, idle: 'accept', ...gpu(8) });
}
