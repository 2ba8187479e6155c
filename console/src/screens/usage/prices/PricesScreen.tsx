import { Badge, Skeleton, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../../api/problem';
import { prices, type PriceBook } from '../../../api/queries/metering';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { DisabledReason } from '../../../ui/DisabledReason';
import { EmptyState } from '../../../ui/EmptyState';
import { Icon } from '../../../ui/icons';
import { AnchorLink, ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import type { Column } from '../../../ui/table';
import { minute } from '../../../ui/time';
import { UsageNav } from '../UsageNav';
import { inForce, stateOf } from './model';
import { TariffTable } from './TariffTable';

const words = text.bills.prices;

/** All price books, and what holds now. */
export function PricesScreen() {
    const session = useSession();
    const { data, error, refetch } = useQuery(prices.list());
    const only = data?.length === 1 ? data[0] : data?.find(book => book.metadata.name === 'default');
    const now = only && inForce(only, Date.now());
    return (
        <Page
            title={text.usage.title}
            about={words.about}
            actions={
                <DisabledReason reason={session.may('price:update') ? undefined : words.denied}>
                    <ButtonLink to="/usage/prices/new" leftSection={<Icon name="plus" size={16} />}>
                        {words.create}
                    </ButtonLink>
                </DisabledReason>
            }
        >
            <UsageNav />
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={200} />
            ) : (
                <DataTable
                    label={text.usage.sections.prices}
                    columns={columns(only)}
                    rows={data}
                    rowKey={book => book.metadata.uid}
                    empty={<EmptyState title={words.empty.title}>{words.empty.about}</EmptyState>}
                />
            )}
            {only && now && (
                <Section title={`${only.metadata.name}, ${words.perHour(only.spec.currency)}`}>
                    <TariffTable prices={now.prices} />
                </Section>
            )}
        </Page>
    );
}

function columns(only: PriceBook | undefined): Column<PriceBook>[] {
    const names = words.columns;
    const now = Date.now();
    return [
        {
            id: 'name',
            header: names.name,
            cell: book => (
                <span>
                    <AnchorLink fw={600} to="/usage/prices/$book" params={{ book: book.metadata.name }}>
                        {book.metadata.name}
                    </AnchorLink>{' '}
                    {book === only && (
                        <Tooltip label={words.isDefaultHint}>
                            <Badge tabIndex={0}>{words.isDefault}</Badge>
                        </Tooltip>
                    )}
                </span>
            ),
        },
        { id: 'currency', header: names.currency, cell: book => book.spec.currency },
        {
            id: 'inForce',
            header: names.inForce,
            cell: book => {
                const version = inForce(book, now);
                return version ? minute(Date.parse(version.validFrom)) : words.notYet;
            },
        },
        {
            id: 'coming',
            header: names.coming,
            cell: book => {
                const next = book.status.versions.find(version => stateOf(version, now) === 'coming');
                return next && `${words.comingFrom} ${minute(Date.parse(next.validFrom))}`;
            },
        },
        {
            id: 'versions',
            header: names.versions,
            align: 'right',
            cell: book => book.status.versions.length,
        },
    ];
}
