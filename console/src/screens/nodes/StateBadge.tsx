import { Badge } from '@mantine/core';
import type { Node } from '../../api/queries/supply';
import { text } from '../../texts';

const COLORS = { ready: 'tide', cordoned: 'sand', lost: 'coral' } as const;

/** Whether a node takes new work; why not on hover. */
export function StateBadge({ status }: { status: Node['status'] }) {
    return (
        <Badge color={COLORS[status.state]} title={status.reason ?? undefined}>
            {text.nodes.state[status.state]}
        </Badge>
    );
}
