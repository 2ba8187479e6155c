import { Badge } from '@mantine/core';
import type { ConfigState, RequestState } from '../../api/queries/dedicated';
import { text } from '../../texts';

const CONFIG: Record<ConfigState, string> = { scheduled: 'sand', active: 'tide', ended: 'gray' };
const REQUEST: Record<RequestState, string> = {
    pending: 'sand',
    approved: 'tide',
    declined: 'coral',
    withdrawn: 'gray',
};

export function ConfigStateBadge({ state }: { state: ConfigState }) {
    return <Badge color={CONFIG[state]}>{text.compute.config.states[state]}</Badge>;
}

export function RequestStateBadge({ state }: { state: RequestState }) {
    return <Badge color={REQUEST[state]}>{text.compute.request.states[state]}</Badge>;
}
