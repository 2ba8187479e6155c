import type { TestServer } from './server';

/** Lets tasks of every workspace run in a quota. */
export async function shareQuota(server: TestServer, name: string): Promise<void> {
    const { metadata, spec } = await server.call<{ metadata: { version: string }; spec: object }>(
        'GET',
        `/api/v1/quotas/${name}`,
    );
    await server.call(
        'PUT',
        `/api/v1/quotas/${name}`,
        { metadata: { name }, spec: { ...spec, queue: { strategy: 'fair' }, shared: true } },
        { 'if-match': `"${metadata.version}"` },
    );
}
