import type { Session } from '../../session/session';
import { text } from '../../texts';

const names = text.administration.sections;

/** The parts of the screen, with what one has to be allowed for each: an action somewhere, or all of the platform. */
export const SECTIONS = [
    { to: '/administration/users', label: names.users, needs: 'user:read' },
    { to: '/administration/roles', label: names.roles, needs: 'role:update' },
    { to: '/administration/workspaces', label: names.workspaces, needs: 'workspace:update' },
    { to: '/administration/accounts', label: names.accounts, needs: 'member:update' },
    { to: '/administration/webhooks', label: names.webhooks, needs: 'webhook:update' },
    { to: '/administration/tokens', label: names.tokens, needs: 'member:update' },
    { to: '/administration/audit', label: names.audit, needs: 'audit:read-all' },
] as const;

/** Somebody who may do one of these finds the screen in the menu. */
export const ADMINISTRATION_NEEDS = ['workspace:update', 'member:update', 'webhook:update'] as const;

export type Section = (typeof SECTIONS)[number];

export function sectionsOf(session: Session): Section[] {
    return SECTIONS.filter(section => session.may(section.needs));
}
