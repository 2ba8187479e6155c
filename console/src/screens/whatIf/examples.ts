import type { QueryClient } from '@tanstack/react-query';
import { quotas } from '../../api/queries/quotas';
import { nodes } from '../../api/queries/supply';
import type { Example } from '../../texts/en/whatIfExamples';

/** The text of an example, with names that exist where it begins with what is there. */
export async function fill(client: QueryClient, example: Example): Promise<string> {
    if (!example.fromServer) return example.text;
    const [tree, supply] = await Promise.all([
        client.fetchQuery(quotas.tree()).catch(() => undefined),
        client.fetchQuery(nodes.list()).catch(() => undefined),
    ]);
    const quota = tree?.roots[0]?.quota.metadata.name;
    const node =
        supply?.find(one => one.status.devices.some(device => device.workloads.length > 0)) ?? supply?.[0];
    return example.text
        .replaceAll('QUOTA', quota ?? 'QUOTA')
        .replaceAll('NODE', node?.metadata.name ?? 'NODE');
}
