import { Tooltip } from '@mantine/core';
import { cloneElement, type ReactElement } from 'react';

interface Props {
    /** `undefined`: it may be used. */
    reason: string | undefined;
    children: ReactElement<{
        disabled?: boolean;
        'data-disabled'?: boolean;
        'aria-disabled'?: boolean;
        onClick?: unknown;
    }>;
}

/** A control that says why it cannot be used. It stays reachable by keyboard, so that everybody can read the reason. */
export function DisabledReason({ reason, children }: Props) {
    if (reason === undefined) return children;
    const off = {
        'data-disabled': true,
        'aria-disabled': true,
        onClick: (event: Event) => event.preventDefault(),
    };
    return <Tooltip label={reason}>{cloneElement(children, off)}</Tooltip>;
}
