import { text } from './texts';
import type { IconName } from './ui/icons';

export interface NavEntry {
    to: string;
    label: string;
    icon: IconName;
    /** An action without which the screen is not there. */
    needs?: string;
}

const { nav } = text.shell;

/** One line per screen, in the order of the menu. A screen that is not built is not here. */
export const navigation: readonly NavEntry[] = [
    { to: '/', label: nav.overview, icon: 'overview' },
    { to: '/quotas', label: nav.quotas, icon: 'quotas' },
    { to: '/nodes', label: nav.nodes, icon: 'nodes', needs: 'pool:read' },
];
