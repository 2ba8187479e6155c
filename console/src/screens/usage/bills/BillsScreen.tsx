import { Button, Select, Skeleton, TextInput, Tooltip } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { metering, prices } from '../../../api/queries/metering';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { save } from '../../../ui/save';
import type { BillsSearch } from '../routes';
import { filterOf } from '../search';
import styles from '../Usage.module.css';
import { UsageNav } from '../UsageNav';
import { WhoseFields } from '../WhoseFields';
import { BudgetStrip } from '../budgets/BudgetStrip';
import { BillHead } from './BillHead';
import { BillLines } from './BillLines';
import { billRange, csvOf, monthName } from './model';
import { Months } from './Months';

const words = text.bills;
const MONTHS = 13;
const OWN = 'own';

/** What use costs: of a workspace, a user, a quota, for a month or any period. */
export function BillsScreen() {
    const search = useSearch({ from: '/app/usage/bills' });
    const navigate = useNavigate({ from: '/usage/bills' });
    const workspace = useWorkspace();
    const books = useQuery(prices.list());
    const { month, from, to, book, line } = search;
    const filter = useMemo(
        () => ({ ...filterOf(search, workspace), book, ...billRange({ month, from, to }, Date.now()) }),
        [JSON.stringify({ ...search, line: undefined }), workspace],
    );
    const bill = useQuery({
        ...metering.bill(filter, line !== undefined),
        placeholderData: keepPreviousData,
        enabled: (books.data?.length ?? 0) > 0,
    });
    const narrow = (change: BillsSearch) =>
        void navigate({
            search: before => ({ ...before, line: undefined, ...change }),
            replace: true,
            resetScroll: false,
        });
    if (books.data?.length === 0)
        return (
            <Page title={text.usage.title} about={words.about}>
                <UsageNav />
                <EmptyState
                    title={words.none.title}
                    action={<ButtonLink to="/usage/prices">{text.usage.sections.prices}</ButtonLink>}
                >
                    {words.none.about}
                </EmptyState>
            </Page>
        );
    const error = books.error ?? bill.error;
    return (
        <Page title={text.usage.title} about={words.about}>
            <UsageNav />
            <div className={styles.filters} role="search" aria-label={text.common.filters.label}>
                <PeriodChoice search={search} onSearch={narrow} />
                <WhoseFields search={search} onSearch={narrow} />
                {(books.data?.length ?? 0) > 1 && (
                    <Select
                        label={words.book}
                        w={130}
                        clearable
                        data={books.data?.map(one => one.metadata.name) ?? []}
                        value={book ?? null}
                        onChange={next => narrow({ book: next ?? undefined })}
                    />
                )}
                {bill.data && (
                    <Tooltip label={words.exportHint}>
                        <Button
                            size="sm"
                            variant="default"
                            className={styles.export}
                            onClick={() =>
                                bill.data &&
                                save(`statement-${bill.data.from.slice(0, 10)}.csv`, csvOf(bill.data))
                            }
                        >
                            {words.export}
                        </Button>
                    </Tooltip>
                )}
            </div>
            <ProblemAlert
                problem={error && Problem.from(error)}
                onRetry={() => void (books.error ? books.refetch() : bill.refetch())}
            />
            {bill.data === undefined ? (
                !error && <Skeleton height={320} />
            ) : (
                <>
                    <BillHead bill={bill.data} />
                    <BudgetStrip />
                    <BillLines
                        bill={bill.data}
                        open={line}
                        isReading={bill.isPlaceholderData}
                        onOpen={next => narrow({ line: next })}
                    />
                </>
            )}
            <Months filter={filter} />
        </Page>
    );
}

/** A month, or any other period. */
function PeriodChoice({ search, onSearch }: { search: BillsSearch; onSearch(change: BillsSearch): void }) {
    const now = Date.now();
    const months = Array.from({ length: MONTHS }, (_, back) => monthName(now, back));
    const isOwn = search.from !== undefined || search.to !== undefined;
    const chosen = isOwn ? OWN : (search.month ?? monthName(now, 0));
    const known = months.includes(chosen) || isOwn ? months : [chosen, ...months];
    return (
        <>
            <Select
                label={words.month}
                w={140}
                allowDeselect={false}
                data={[...known, { value: OWN, label: words.monthOr }]}
                value={chosen}
                onChange={next =>
                    onSearch(
                        next === OWN
                            ? { month: undefined, from: `${monthName(now, 0)}-01T00:00`, to: undefined }
                            : {
                                  month: next === monthName(now, 0) ? undefined : (next ?? undefined),
                                  from: undefined,
                                  to: undefined,
                              },
                    )
                }
            />
            {isOwn &&
                (['from', 'to'] as const).map(end => (
                    <TextInput
                        key={end}
                        type="datetime-local"
                        w={188}
                        label={text.usage.period[end]}
                        value={search[end] ?? ''}
                        onChange={event => onSearch({ [end]: event.currentTarget.value || undefined })}
                    />
                ))}
        </>
    );
}
