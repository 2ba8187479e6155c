import { Button, SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../api/problem';
import { series, type Span } from '../../api/queries/series';
import { nodes, type Node } from '../../api/queries/supply';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { OfAmount } from '../../ui/Amount';
import { bytes, figure } from '../../ui/amounts';
import { DisabledReason } from '../../ui/DisabledReason';
import { Facts } from '../../ui/Facts';
import { Page, Section } from '../../ui/Page';
import { PathLink } from '../../ui/PathLink';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { RelativeTime } from '../../ui/RelativeTime';
import { SeriesChart } from '../../ui/SeriesChart';
import { DeviceTable } from './DeviceTable';
import { nodeRow } from './model';
import { NodeChangeDialog, type NodeChange } from './NodeChangeDialog';
import { StateBadge } from './StateBadge';

const words = text.nodes.detail;
const LINES = [{ metric: 'used', label: words.used, color: '--tide-own' }] as const;

/** One node: its facts, its GPUs, and what can be done to it. */
export function NodeScreen() {
    const { name } = useParams({ from: '/app/nodes/$name' });
    const navigate = useNavigate();
    const session = useSession();
    const [change, setChange] = useState<NodeChange>();
    const { data: node, error, refetch } = useQuery(nodes.one(name));
    return (
        <Page
            title={name}
            about={<PathLink path="/nodes">{words.all}</PathLink>}
            actions={node && session.administrator && <Actions node={node} onChange={setChange} />}
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {node ? (
                <>
                    <Section title={words.facts}>
                        <NodeFacts node={node} />
                    </Section>
                    <Section title={words.devices}>
                        <DeviceTable node={node} onChange={setChange} />
                    </Section>
                    {node.spec.gpus > 0 && <Use name={name} />}
                </>
            ) : (
                !error && <Skeleton height={240} />
            )}
            <NodeChangeDialog
                node={name}
                change={change}
                onClose={() => setChange(undefined)}
                onRemoved={() => void navigate({ to: '/nodes' })}
            />
        </Page>
    );
}

function NodeFacts({ node }: { node: Node }) {
    const { spec, status, metadata } = node;
    const row = nodeRow(node);
    const facts: [string, React.ReactNode][] = [
        [words.state, <StateBadge status={status} />],
        ...(status.reason == null ? [] : [[words.why, status.reason] as [string, React.ReactNode]]),
        [words.pool, spec.pool],
        [words.model, spec.model ?? text.common.none],
        [words.gpus, <OfAmount used={figure(row.used)} of={figure(spec.gpus)} />],
        [words.cpu, <OfAmount used={figure(row.cpuUsed)} of={figure(spec.cpu ?? 0)} />],
        [words.memory, <OfAmount used={bytes(row.memoryUsed)} of={bytes(row.memory)} />],
        [words.since, <RelativeTime at={metadata.createdAt} />],
    ];
    if (status.isolation != null) {
        const parts = [words.isolationOf[status.isolation], status.isolationDetail ?? ''];
        facts.push([words.isolation, parts.filter(part => part !== '').join(': ')]);
    }
    if (status.limits != null) {
        const limits = status.limits.map(limit => words.limitOf[limit]).join(', ');
        facts.push([words.limits, limits === '' ? words.noLimits : limits]);
    }
    return <Facts facts={facts} />;
}

function Actions({ node, onChange }: { node: Node; onChange(change: NodeChange): void }) {
    const { state } = node.status;
    const { why, ...names } = text.nodes.actions;
    const isBusy = nodeRow(node).works.length > 0;
    const off = {
        cordon: state === 'ready' ? undefined : why[state],
        uncordon: state === 'cordoned' ? undefined : why[state],
        drain: state === 'lost' ? why.lost : state === 'cordoned' && !isBusy ? why.nothing : undefined,
        remove: undefined,
    };
    return (['cordon', 'uncordon', 'drain', 'remove'] as const).map(kind => (
        <DisabledReason key={kind} reason={off[kind]}>
            <Button
                variant="default"
                c={kind === 'drain' || kind === 'remove' ? 'var(--tide-warn)' : undefined}
                onClick={() => onChange({ kind })}
            >
                {names[kind]}
            </Button>
        </DisabledReason>
    ));
}

function Use({ name }: { name: string }) {
    const { span = 'hour' } = useSearch({ from: '/app/nodes/$name' });
    const navigate = useNavigate({ from: '/nodes/$name' });
    const { data, error, refetch } = useQuery(series.node(name, span));
    const spans = text.overview.use.spans;
    return (
        <Section
            title={words.use}
            actions={
                <SegmentedControl
                    size="xs"
                    aria-label={text.overview.use.span}
                    value={span}
                    onChange={value =>
                        void navigate({
                            search: before => ({
                                ...before,
                                span: value === 'hour' ? undefined : (value as Span),
                            }),
                            replace: true,
                            resetScroll: false,
                        })
                    }
                    data={(['hour', 'day', 'week'] as const).map(value => ({ value, label: spans[value] }))}
                />
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data ? <SeriesChart series={data} lines={LINES} /> : !error && <Skeleton height={200} />}
        </Section>
    );
}
