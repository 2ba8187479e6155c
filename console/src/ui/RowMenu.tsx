import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons';

/** What one can do to a row. */
export function RowMenu({ label, children }: { label: string; children: ReactNode }) {
    return (
        <Menu position="bottom-end">
            <Menu.Target>
                <ActionIcon variant="subtle" aria-label={label}>
                    <Icon name="dots" />
                </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{children}</Menu.Dropdown>
        </Menu>
    );
}
