import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../api/problem';
import type { QuotaTree } from '../../api/queries/quotas';
import type { Span } from '../../api/queries/series';
import { useSession } from '../../session/session';
import { useWorkspace } from '../../session/workspace';
import { text } from '../../texts';
import { Section } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { SeriesChart } from '../../ui/SeriesChart';
import { seriesOfMany, type UseOf } from './use';

const words = text.overview.use;
const SPANS = ['hour', 'day', 'week'] as const;
const LINES = {
    quota: [
        { metric: 'drawn', label: words.drawn, color: '--tide-own' },
        { metric: 'lent', label: words.lent, color: '--tide-lent' },
        { metric: 'guarantee', label: words.guarantee, color: '--tide-muted', dash: true },
    ],
    workspace: [
        { metric: 'drawn', label: words.drawn, color: '--tide-own' },
        { metric: 'borrowed', label: words.borrowed, color: '--tide-borrowed' },
        { metric: 'requested', label: words.requested, color: '--tide-muted', dash: true },
    ],
} as const;

/** Use over the last hour, day or week: of all quotas, or of the workspaces that one looks at. */
export function UseSection({ trees, seesPool }: { trees: readonly QuotaTree[]; seesPool: boolean }) {
    const { span = 'hour' } = useSearch({ from: '/app/' });
    const navigate = useNavigate({ from: '/' });
    const client = useQueryClient();
    const workspace = useWorkspace();
    const { workspaces } = useSession();
    const of = useMemo<UseOf>(() => {
        if (workspace !== undefined) return { kind: 'workspace', names: [workspace], roots: [] };
        if (!seesPool) return { kind: 'workspace', names: workspaces.map(one => one.workspace), roots: [] };
        const names = trees.flatMap(namesOf);
        return { kind: 'quota', names, roots: trees.map(tree => tree.quota.metadata.name) };
    }, [trees, seesPool, workspace, workspaces]);
    const { data, error, refetch } = useQuery(seriesOfMany(client, of, span));
    return (
        <Section
            title={words.title}
            actions={
                <SegmentedControl
                    size="xs"
                    aria-label={words.span}
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
                    data={SPANS.map(value => ({ value, label: words.spans[value] }))}
                />
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data ? (
                <SeriesChart series={data} lines={LINES[of.kind]} />
            ) : (
                !error && <Skeleton height={200} />
            )}
        </Section>
    );
}

function namesOf(tree: QuotaTree): string[] {
    return [tree.quota.metadata.name, ...tree.children.flatMap(namesOf)];
}
