import type { Schema } from '../../api/client';

type Spec = Schema<'QuotaSpec'>;
export type Module = Schema<'Module'>;
export type Scope = Schema<'Scope'>;
export type Strategy = Schema<'Strategy'>;

export const MODULES: readonly Module[] = ['training', 'notebook', 'service', 'task'];
export const SCOPES: readonly Scope[] = ['same-quota', 'siblings', 'both'];
export const STRATEGIES: readonly Strategy[] = ['intelligent', 'fifo', 'round-robin', 'balance', 'fair'];

export interface VictimDraft {
    priorities: string;
    modules: Module[];
}

/** The policies of a quota as a form holds them: what is off keeps what was typed. */
export interface PolicyDraft {
    child: VictimDraft & { isOn: boolean };
    self: VictimDraft & { isOn: boolean; preemptors: string; scope: Scope };
    strategy: Strategy;
    patience: string;
    agingStep: string;
    starvationGuard: string;
    idleSharing: boolean;
    /** Tasks of every workspace run there. */
    isShared: boolean;
    /** Resource configs are taken from it. */
    isDedicated: boolean;
    protectFor: string;
}

export function draftOf(spec: Spec): PolicyDraft {
    const child = spec.preemption?.childLevel;
    const self = spec.preemption?.selfLevel;
    return {
        child: {
            isOn: child != null,
            priorities: String(child?.victims.priorities ?? '1-9'),
            modules: [...(child?.victims.modules ?? (['training', 'notebook'] as const))],
        },
        self: {
            isOn: self != null,
            preemptors: String(self?.preemptors ?? '6-9'),
            priorities: String(self?.victims.priorities ?? '1-5'),
            modules: [...(self?.victims.modules ?? (['training', 'notebook'] as const))],
            scope: self?.scope ?? 'both',
        },
        strategy: spec.queue?.strategy ?? 'intelligent',
        patience: spec.queue?.patience ?? '',
        agingStep: spec.queue?.agingStep ?? '',
        starvationGuard: spec.queue?.starvationGuard ?? '',
        idleSharing: spec.idleSharing ?? true,
        isShared: spec.shared ?? false,
        isDedicated: spec.dedicated ?? false,
        protectFor: spec.protectFor ?? '',
    };
}

const orAbsent = (value: string) => (value === '' ? null : value);

/** The specification with these policies in place of its own. */
export function withPolicies(spec: Spec, draft: PolicyDraft): Spec {
    const { child, self } = draft;
    return {
        ...spec,
        queue: {
            strategy: draft.strategy,
            patience: orAbsent(draft.patience),
            agingStep: orAbsent(draft.agingStep),
            starvationGuard: orAbsent(draft.starvationGuard),
        },
        idleSharing: draft.idleSharing,
        // What was never said stays unsaid.
        ...(draft.isShared || spec.shared != null ? { shared: draft.isShared } : {}),
        ...(draft.isDedicated || spec.dedicated != null ? { dedicated: draft.isDedicated } : {}),
        protectFor: orAbsent(draft.protectFor),
        preemption: {
            childLevel: child.isOn
                ? { victims: { priorities: child.priorities, modules: child.modules } }
                : null,
            selfLevel: self.isOn
                ? {
                      preemptors: self.preemptors,
                      victims: { priorities: self.priorities, modules: self.modules },
                      scope: self.scope,
                  }
                : null,
        },
    };
}
