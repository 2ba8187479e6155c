import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { dedicated, type ResourceConfig } from '../../../api/queries/dedicated';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { AnchorLink } from '../../../ui/links';
import type { Column } from '../../../ui/table';
import { ComputeList } from '../ComputeList';
import { periodText, sizeText, terms } from '../describe';
import { ConfigStateBadge } from '../StateBadge';

const words = text.compute.config;

/** Dedicated compute that there is, was, or will be. */
export function ConfigsScreen() {
    const { state } = useSearch({ from: '/app/compute' });
    const workspace = useWorkspace();
    const list = useQuery(dedicated.configs(state, workspace));
    return (
        <ComputeList
            label={text.compute.sections.configs}
            states={words.states}
            state={state}
            list={list}
            columns={COLUMNS}
            empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
        />
    );
}

const names = words.columns;

const COLUMNS: Column<ResourceConfig>[] = [
    {
        id: 'id',
        header: names.id,
        cell: row => (
            <AnchorLink fw={600} to="/compute/$config" params={{ config: row.id }}>
                {row.id}
            </AnchorLink>
        ),
    },
    { id: 'state', header: names.state, cell: row => <ConfigStateBadge state={row.state} /> },
    { id: 'workspace', header: names.workspace, cell: row => row.workspace },
    { id: 'what', header: names.what, width: '24%', cell: terms },
    { id: 'period', header: names.period, cell: periodText },
    { id: 'held', header: names.held, cell: row => (row.held ? sizeText(row.held.amount) : words.nothing) },
    {
        id: 'use',
        header: names.use,
        width: '8rem',
        cell: row => row.state !== 'ended' && <Utilisation config={row} />,
    },
    {
        id: 'tasks',
        header: names.tasks,
        cell: row => row.state !== 'ended' && words.tasks(row.running, row.waiting),
    },
];

/** How much of the most that it can have is asked for. */
export function Utilisation({ config }: { config: ResourceConfig }) {
    const percent = Math.round(config.utilisation * 100);
    return (
        <span title={`${words.utilisation}: ${words.percent(percent)}`}>
            <Progress
                value={Math.min(100, percent)}
                color={percent > config.cap ? 'sand' : 'tide'}
                aria-label={words.utilisation}
            />
            <small>{words.percent(percent)}</small>
        </span>
    );
}
