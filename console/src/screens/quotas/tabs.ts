export const TABS = ['overview', 'nodes', 'workloads', 'users', 'monitoring', 'books'] as const;
export type Tab = (typeof TABS)[number];

export function isTab(value: unknown): value is Tab {
    return TABS.some(tab => tab === value);
}
