import { Select, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { advice as advices, type Advice, type AdvisedWay } from '../../../api/queries/advice';
import { prices } from '../../../api/queries/metering';
import { useRooms } from '../../../session/rooms';
import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import type { Column } from '../../../ui/table';
import { minute } from '../../../ui/time';
import styles from '../Usage.module.css';
import { UsageNav } from '../UsageNav';
import own from './Advice.module.css';
import { sizeOf, waited, WayCard } from './WayCard';
import { USUAL_WEEKS, WEEKS, type AdviceSearch } from './ways';

const words = text.advice;

/** What shared, reserved and by-usage compute would have cost for the tasks of a workspace, side by side. */
export function AdviceScreen() {
    const { weeks = USUAL_WEEKS, book } = useSearch({ from: '/app/usage/advice' });
    const navigate = useNavigate({ from: '/usage/advice' });
    const session = useSession();
    const chosen = useWorkspace();
    const rooms = useRooms('usage:read');
    const books = useQuery(prices.list());
    const room = rooms?.find(one => one === chosen) ?? rooms?.[0];
    const hasBooks = (books.data?.length ?? 0) > 0;
    const { data, error, refetch } = useQuery({
        ...advices.of(room ?? '', weeks, book),
        enabled: room !== undefined && hasBooks,
    });
    const narrow = (change: AdviceSearch & { ws?: string }) =>
        void navigate({ search: before => ({ ...before, ...change }), replace: true, resetScroll: false });
    const failed = error ?? books.error;
    return (
        <Page title={text.usage.title} about={words.about}>
            <UsageNav />
            {room !== undefined && hasBooks && (
                <div className={styles.filters} role="search" aria-label={text.common.filters.label}>
                    <Select
                        label={words.workspace}
                        w={180}
                        allowDeselect={false}
                        searchable={(rooms?.length ?? 0) > 8}
                        data={rooms ?? []}
                        value={room}
                        onChange={ws => narrow({ ws: ws ?? undefined })}
                    />
                    <Select
                        label={words.weeks}
                        w={130}
                        allowDeselect={false}
                        data={WEEKS.map(count => ({ value: String(count), label: words.weeksOf(count) }))}
                        value={String(weeks)}
                        onChange={count =>
                            narrow({ weeks: Number(count) === USUAL_WEEKS ? undefined : Number(count) })
                        }
                    />
                    {(books.data?.length ?? 0) > 1 && (
                        <Select
                            label={text.bills.book}
                            w={130}
                            clearable
                            data={books.data?.map(one => one.metadata.name) ?? []}
                            value={book ?? null}
                            onChange={next => narrow({ book: next ?? undefined })}
                        />
                    )}
                </div>
            )}
            <ProblemAlert
                problem={failed && Problem.from(failed)}
                onRetry={() => void (books.error ? books.refetch() : refetch())}
            />
            {books.data?.length === 0 ? (
                <EmptyState
                    title={text.bills.none.title}
                    action={<ButtonLink to="/usage/prices">{text.usage.sections.prices}</ButtonLink>}
                >
                    {text.bills.none.about}
                </EmptyState>
            ) : rooms?.length === 0 ? (
                <EmptyState title={text.usage.sections.advice}>{words.nowhere}</EmptyState>
            ) : data === undefined ? (
                !failed && <Skeleton height={320} />
            ) : (
                <Ways advice={data} mayAsk={session.may('resource-request:create', data.workspace)} />
            )}
        </Page>
    );
}

function Ways({ advice, mayAsk }: { advice: Advice; mayAsk: boolean }) {
    if (advice.ways.length === 0)
        return <EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>;
    return (
        <>
            <Text size="sm" data-testid="advised">
                {words.ways(advice.tasks, minute(Date.parse(advice.from)), minute(Date.parse(advice.to)))}
            </Text>
            <div className={own.ways}>
                {advice.ways.map(way => (
                    <WayCard key={way.mode} advice={advice} way={way} mayAsk={mayAsk} />
                ))}
            </div>
            {advice.tried.length > 0 && (
                <Section title={words.tried}>
                    <Text size="sm" c="dimmed" mb="sm">
                        {words.triedAbout}
                    </Text>
                    <DataTable
                        label={words.tried}
                        columns={columns(advice.currency)}
                        rows={advice.tried}
                        rowKey={sizeOf}
                    />
                </Section>
            )}
        </>
    );
}

const columns = (currency: string): Column<AdvisedWay>[] => [
    { id: 'size', header: words.size, cell: sizeOf },
    {
        id: 'cost',
        header: words.cost,
        align: 'right',
        cell: way => (way.cost == null ? words.noCost : words.amount(way.cost, currency)),
    },
    ...(['p50', 'p95', 'max'] as const).map((part): Column<AdvisedWay> => ({
        id: part,
        header: words[part],
        align: 'right',
        cell: way => waited(way.waiting[part]),
    })),
];
