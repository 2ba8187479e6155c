import { ADMINISTRATION_NEEDS } from './screens/administration/sections';
import { text } from './texts';
import type { IconName } from './ui/icons';

export interface NavEntry {
    to: string;
    label: string;
    icon: IconName;
    /** The screen is not there for who may do none of these. */
    needs?: string | readonly string[];
}

const { nav } = text.shell;

/** One line per screen, in the order of the menu. A screen that is not built is not here. */
export const navigation: readonly NavEntry[] = [
    { to: '/', label: nav.overview, icon: 'overview' },
    { to: '/quotas', label: nav.quotas, icon: 'quotas' },
    { to: '/workloads', label: nav.workloads, icon: 'workloads' },
    { to: '/tasks', label: nav.tasks, icon: 'tasks', needs: ['workload:read', 'task:submit'] },
    { to: '/compute', label: nav.compute, icon: 'compute', needs: 'workspace:read' },
    { to: '/nodes', label: nav.nodes, icon: 'nodes', needs: 'pool:read' },
    { to: '/what-if', label: nav.whatIf, icon: 'whatIf' },
    { to: '/usage', label: nav.usage, icon: 'usage' },
    { to: '/center', label: nav.center, icon: 'center', needs: 'workspace:read' },
    {
        to: '/administration',
        label: nav.administration,
        icon: 'administration',
        needs: ADMINISTRATION_NEEDS,
    },
];
