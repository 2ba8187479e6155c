import { Button, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { Pool } from '../../api/queries/supply';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { figure, gpuText } from '../../ui/amounts';
import { DataTable } from '../../ui/DataTable';
import { DisabledReason } from '../../ui/DisabledReason';
import { Icon } from '../../ui/icons';
import { AnchorLink } from '../../ui/links';
import type { Column } from '../../ui/table';
import styles from './Pools.module.css';
import { SupplyDialog } from './SupplyDialog';

const words = text.nodes.pools;

/** What can be added: a pool, or a node to one of them. */
export function SupplyActions({ pools, pool }: { pools: readonly string[]; pool: string | undefined }) {
    const session = useSession();
    const [adds, setAdds] = useState<'pool' | 'node'>();
    const denied = session.whyNot('pool:update');
    return (
        <>
            {pools.length > 0 && (
                <DisabledReason reason={denied}>
                    <Button variant="default" onClick={() => setAdds('node')}>
                        {words.add}
                    </Button>
                </DisabledReason>
            )}
            <DisabledReason reason={denied}>
                <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdds('pool')}>
                    {words.create}
                </Button>
            </DisabledReason>
            {adds && (
                <SupplyDialog
                    adds={adds}
                    pools={pools}
                    pool={pools.find(one => one === pool) ?? pools[0] ?? ''}
                    onClose={() => setAdds(undefined)}
                />
            )}
        </>
    );
}

/** All pools: how much of each is there, used, and promised. */
export function PoolsTable({ pools }: { pools: readonly Pool[] }) {
    if (pools.length === 0) return null;
    return (
        <DataTable label={words.title} columns={COLUMNS} rows={pools} rowKey={pool => pool.metadata.uid} />
    );
}

const names = words.columns;

const COLUMNS: Column<Pool>[] = [
    {
        id: 'name',
        header: names.name,
        cell: ({ metadata: { name } }) => (
            <AnchorLink fw={600} to="/nodes" search={{ pool: name }}>
                {name}
            </AnchorLink>
        ),
    },
    {
        id: 'nodes',
        header: names.nodes,
        cell: ({ status: { nodes } }) => words.nodes(nodes.ready, nodes.total),
    },
    {
        id: 'gpus',
        header: names.gpus,
        cell: ({ status: { gpus } }) =>
            gpus.length === 0
                ? words.noGpus
                : gpus.map(one => words.use(one.model, figure(one.used), one.total)).join(', '),
    },
    {
        id: 'free',
        header: names.free,
        cell: ({ status: { gpus } }) => gpus.map(one => words.free(one.model, figure(one.free))).join(', '),
    },
    {
        id: 'guaranteed',
        header: names.guaranteed,
        cell: ({ status: { guaranteed, shortBy } }) => (
            <span>
                {gpuText(guaranteed)}{' '}
                {shortBy && (
                    <Tooltip label={words.shortByHint}>
                        <span className={styles.short} tabIndex={0}>
                            {words.shortBy(gpuText(shortBy))}
                        </span>
                    </Tooltip>
                )}
            </span>
        ),
    },
    {
        id: 'roots',
        header: names.roots,
        cell: ({ status: { roots } }) => (roots.length === 0 ? text.common.none : roots.join(', ')),
    },
];
