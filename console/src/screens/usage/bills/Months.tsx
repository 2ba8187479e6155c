import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { metering, type Range, type UsageFilter } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { StackChart } from '../../../ui/StackChart';
import { monthStart } from '../period';
import { billRange, monthName } from './model';

const words = text.bills;
/** So many months are looked back. */
const MONTHS = 6;
const DAY_S = 86_400;

/** What the same part of the use has cost month by month. Months of which something is gone, or without prices, are empty. */
export function Months({ filter }: { filter: UsageFilter & Range & { book?: string } }) {
    const { from: _, to: __, ...whose } = filter;
    const now = Date.now();
    const months = Array.from({ length: MONTHS }, (_, index) => MONTHS - 1 - index);
    const bills = useQueries({
        queries: months.map(back => ({
            ...metering.bill({ ...whose, ...billRange({ month: monthName(now, back) }, now) }, false),
            // What is over changes only by corrections.
            refetchInterval: back === 0 ? 60_000 : (false as const),
            staleTime: 60_000,
        })),
    });
    const figures = bills.map(({ data }) => [Number(data?.due ?? 0), Number(data?.showback ?? 0)] as const);
    const said = JSON.stringify(figures);
    const currency = bills.find(({ data }) => data)?.data?.currency;
    const chart = useMemo(
        () => ({
            times: months.map(back => monthStart(now, back) / 1000),
            names: months.map(back => monthName(now, back)),
            stepS: 30 * DAY_S,
            layers: [
                { label: words.due, color: '--series-2', values: figures.map(([due]) => due) },
                { label: words.showback, color: '--series-1', values: figures.map(([, shown]) => shown) },
            ],
        }),
        [said],
    );
    if (figures.every(([due, shown]) => due === 0 && shown === 0)) return null;
    return (
        <Section title={currency === undefined ? words.overTime : `${words.overTime} (${currency})`}>
            <StackChart {...chart} height={180} />
        </Section>
    );
}
