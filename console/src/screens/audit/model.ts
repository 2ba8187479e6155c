import type { AuditEntry, AuditFilter } from '../../api/queries/audit';
import { text } from '../../texts';

/** What of the audit is looked at, as it stands in the URL. Times are as the browser's field has them: local. */
export interface AuditSearch {
    by?: string;
    op?: string;
    from?: string;
    to?: string;
    /** The entry that is open. */
    entry?: number;
}

const words = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const time = (value: unknown) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

export function auditSearch(search: Record<string, unknown>): AuditSearch {
    return {
        by: words(search.by),
        op: words(search.op),
        from: time(search.from),
        to: time(search.to),
        entry: typeof search.entry === 'number' ? search.entry : undefined,
    };
}

/** As the API wants it: times in UTC. */
export function auditFilter(search: AuditSearch, workspace?: string): AuditFilter {
    const instant = (local: string | undefined) =>
        local === undefined ? undefined : new Date(local).toISOString();
    return {
        user: search.by,
        operation: search.op,
        workspace,
        from: instant(search.from),
        to: instant(search.to),
    };
}

/** What an entry is about, in a line. */
export function summary(entry: AuditEntry): string {
    const [first, ...others] = entry.changes;
    if (!first) return '';
    const said = text.audit.change(first.kind, first.name, first.event);
    return others.length === 0 ? said : `${said}, ${text.audit.others(others.length)}`;
}

/** Operations that there are, to choose from. A server may know more: they can be typed in the address. */
export const OPERATIONS = [
    'invitation.accept',
    'member.remove',
    'member.set',
    'node.add',
    'node.cordon',
    'node.drain',
    'node.quarantine',
    'node.remove',
    'node.restore',
    'node.uncordon',
    'policy.set',
    'pool.create',
    'price.create',
    'price.set',
    'quota.create',
    'quota.delete',
    'quota.scale',
    'quota.set',
    'quota.transfer',
    'resource-config.extend',
    'resource-config.release',
    'resource-request.approve',
    'resource-request.create',
    'resource-request.decline',
    'resource-request.withdraw',
    'role.create',
    'role.delete',
    'role.set',
    'service-account.create',
    'service-account.delete',
    'task.cancel',
    'task.submit',
    'template.create',
    'template.delete',
    'template.set',
    'token.create',
    'token.revoke',
    'usage.correct',
    'user.create',
    'user.delete',
    'user.invite',
    'user.password',
    'user.set',
    'webhook.delete',
    'webhook.set',
    'workload.delete',
    'workload.priority',
    'workload.resize',
    'workload.restart',
    'workload.start',
    'workload.stop',
    'workload.submit',
    'workspace.attach',
    'workspace.create',
    'workspace.delete',
    'workspace.detach',
    'workspace.set',
] as const;
