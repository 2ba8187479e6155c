import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Problem } from '../../api/problem';
import { outlines } from '../../api/queries/outlines';
import { quotas } from '../../api/queries/quotas';
import { nodes } from '../../api/queries/supply';
import { useSession } from '../../session/session';
import { useWorkspace } from '../../session/workspace';
import { text } from '../../texts';
import { EmptyState } from '../../ui/EmptyState';
import { AnchorLink } from '../../ui/links';
import { Page, Section } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { prune } from '../../ui/tree';
import { GuidedStart } from '../start/GuidedStart';
import { DeviceGrid } from './DeviceGrid';
import { EvictionList } from './EvictionList';
import { countDevices, gridOfNodes, gridOfWorks, usedBy, type Drawn } from './grid';
import { GridLegend } from './GridLegend';
import { KeyFigures } from './KeyFigures';
import styles from './OverviewScreen.module.css';
import { tideRows } from './tide';
import { TideTree } from './TideTree';
import { UseSection } from './UseSection';
import { evictions, waitingByReason } from './waiting';
import { WaitingList } from './WaitingList';

const words = text.overview;

/** The pool at a glance; for members, what of it is theirs. */
export function OverviewScreen() {
    const session = useSession();
    if (!session.administrator && session.workspaces.length === 0) {
        return (
            <Page title={words.title}>
                <EmptyState title={words.noRoom.title}>{words.noRoom.about}</EmptyState>
            </Page>
        );
    }
    return <Overview seesPool={session.may('pool:read')} />;
}

function Overview({ seesPool }: { seesPool: boolean }) {
    const workspace = useWorkspace();
    const works = useQuery(outlines.live(!seesPool));
    const tree = useQuery(quotas.tree());
    const supply = useQuery({ ...nodes.list(), enabled: seesPool });
    const problem = works.error ?? tree.error ?? supply.error;

    const all = works.data;
    // Everybody who may be seen has their place in the picture; the lists are of the workspace that is looked at.
    const mine = useMemo(
        () => all?.filter(work => workspace === undefined || work.workspace === workspace) ?? [],
        [all, workspace],
    );
    const drawn = useRef(new Map<string, Drawn>());
    const grid = useMemo(() => {
        if (!all || (seesPool && !supply.data)) return undefined;
        return seesPool ? gridOfNodes(supply.data ?? [], all, drawn.current) : gridOfWorks(all);
    }, [all, seesPool, supply.data]);
    const counts = useMemo(() => countDevices(grid ?? []), [grid]);
    const used = useMemo(() => usedBy(grid ?? [], workspace), [grid, workspace]);
    const rows = useMemo(() => {
        const rows = tideRows(tree.data?.roots ?? [], all ?? []);
        return workspace === undefined
            ? rows
            : prune(rows, row => row.quota.status.workspaces?.includes(workspace) === true);
    }, [tree.data, all, workspace]);
    const waiting = useMemo(() => waitingByReason(mine), [mine]);
    const evicted = useMemo(() => evictions(mine), [mine]);
    const retry = () => void Promise.all([works.refetch(), tree.refetch(), seesPool && supply.refetch()]);

    return (
        <Page title={words.title} about={seesPool ? words.about : words.aboutMember}>
            <GuidedStart />
            <ProblemAlert problem={problem && Problem.from(problem)} onRetry={retry} />
            {all === undefined ? (
                !problem && <Skeleton height={72} />
            ) : (
                <KeyFigures
                    works={mine}
                    used={used}
                    counts={counts}
                    seesPool={seesPool}
                    waiting={waiting}
                    evicted={evicted}
                />
            )}
            <Section
                title={seesPool ? words.grid.title : words.grid.titleMember}
                actions={seesPool && <AnchorLink to="/nodes">{words.grid.all}</AnchorLink>}
            >
                {grid === undefined ? (
                    !problem && <Skeleton height={160} />
                ) : (
                    <>
                        <GridLegend nodes={grid} counts={counts} seesPool={seesPool} />
                        <DeviceGrid nodes={grid} seesPool={seesPool} workspace={workspace} />
                    </>
                )}
            </Section>
            <div className={styles.columns}>
                <Section
                    title={words.tide.title}
                    actions={<AnchorLink to="/quotas">{words.tide.all}</AnchorLink>}
                >
                    {tree.data ? <TideTree roots={rows} /> : !problem && <Skeleton height={160} />}
                </Section>
                <div className={styles.side}>
                    <Section
                        title={words.waiting.title}
                        actions={
                            <AnchorLink to="/workloads" search={{ state: 'queued' }}>
                                {words.waiting.all}
                            </AnchorLink>
                        }
                    >
                        <WaitingList waiting={waiting} />
                    </Section>
                    <Section title={words.evictions.title}>
                        <EvictionList evicted={evicted} />
                    </Section>
                </div>
            </div>
            {tree.data && <UseSection trees={tree.data.roots} seesPool={seesPool} />}
        </Page>
    );
}
