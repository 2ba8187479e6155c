import { Problem } from '../../../api/problem';
import type { Asked } from '../../../api/queries/quotas';
import { workspaceChanges, type Policy, type PolicySpec } from '../../../api/queries/workspaces';
import { draftOf, isSame } from './draft';

/**
 * Sends rules for the version that they were made from. The version is the workspace's: a new member moves it as well.
 * So where another version has the same rules nobody was overtaken, and they are sent for that version.
 */
export async function sendRules(
    base: Policy,
    spec: PolicySpec,
    asked: Asked,
    readNow: () => Promise<Policy>,
): Promise<unknown> {
    const room = base.workspace ?? '';
    const quota = base.quota ?? '';
    try {
        return await workspaceChanges.setPolicy(room, quota, base.version ?? '', spec, asked);
    } catch (thrown) {
        if (!Problem.from(thrown).isStale) throw thrown;
        const now = await readNow();
        if (!isSame(draftOf(now.spec ?? {}), draftOf(base.spec ?? {}))) throw thrown;
        return workspaceChanges.setPolicy(room, quota, now.version ?? '', spec, asked);
    }
}
