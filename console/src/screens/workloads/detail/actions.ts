import type { Workload } from '../../../api/queries/workloads';
import type { Session } from '../../../session/session';
import { text } from '../../../texts';

const words = text.workloads.actions.why;

export type WorkloadAction = 'open' | 'start' | 'stop' | 'restart' | 'resize' | 'priority' | 'remove';

/** Why an action cannot be asked for: by the state of the workload, or by who asks. `undefined`: it can. */
export function whyNot(
    action: WorkloadAction,
    workload: Workload,
    session: Pick<Session, 'user' | 'administrator' | 'whyNot' | 'may'>,
): string | undefined {
    return whyNotAllowed(action, workload, session) ?? whyNotNow(action, workload);
}

function whyNotAllowed(
    action: WorkloadAction,
    { status }: Workload,
    session: Pick<Session, 'user' | 'administrator' | 'whyNot' | 'may'>,
): string | undefined {
    const right = action === 'open' ? 'workload:open' : 'workload:update';
    const denied = session.whyNot(right, status.workspace);
    if (denied !== undefined || action === 'open') return denied;
    const isMine = status.owner === session.user || session.may('workload:operate', status.workspace);
    return isMine ? undefined : words.notMine(status.owner);
}

/** docs/states.md as the server has it; what only the server knows, its preview says. */
function whyNotNow(action: WorkloadAction, { spec, status }: Workload): string | undefined {
    const { state, module } = status;
    const hasEnded = state === 'finished' || state === 'failed' || state === 'stopped';
    const ended = words.ended(text.workloads.states[state].toLowerCase());
    const waits = state === 'queued' || state === 'suspended';
    switch (action) {
        case 'start':
            return hasEnded ? undefined : words.notEnded;
        case 'remove':
            return hasEnded ? undefined : words.deleteRunning;
        case 'stop':
            return hasEnded ? ended : undefined;
        case 'priority':
            return hasEnded ? ended : undefined;
        case 'restart':
            if (hasEnded) return ended;
            if (state === 'leaving') return words.restartLeaving;
            return state === 'running' ? undefined : words.restartWaiting;
        case 'resize': {
            if (hasEnded) return ended;
            if (state === 'leaving') return words.stopping;
            if ((spec.roles?.length ?? 0) > 0) return words.resizeRoles;
            if (module === 'notebook') return words.resizeNotebook;
            const isElastic = module === 'service' || spec.minReplicas != null;
            return waits || isElastic ? undefined : words.resizeGang;
        }
        case 'open':
            if (module !== 'notebook' && module !== 'service') return words.notReached;
            if (hasEnded) return ended;
            if (status.url == null) return words.noApps;
            return status.replicas.running > 0 ? undefined : words.notReady;
    }
}
