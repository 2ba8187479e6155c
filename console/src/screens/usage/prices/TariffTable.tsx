import type { Tariff } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import type { Column } from '../../../ui/table';
import { MODES, modelsOf } from './model';

const words = text.bills.prices;
type Row = Tariff & { mode: string };

/** Prices of one version: a row for each mode, a column for each resource. */
export function TariffTable({ prices }: { prices: Record<string, Tariff> }) {
    const rows: Row[] = MODES.flatMap(mode => (prices[mode] ? [{ mode, ...prices[mode] }] : []));
    const price = (value: string | null | undefined) =>
        value ?? <span title={words.noPriceHint}>{words.noPrice}</span>;
    const columns: Column<Row>[] = [
        { id: 'mode', header: words.mode, cell: row => text.usage.modes[row.mode] ?? row.mode },
        ...modelsOf(prices).map((model): Column<Row> => ({
            id: `gpu:${model}`,
            header: words.gpu(model),
            align: 'right',
            cell: row => price(row.gpu?.[model]),
        })),
        { id: 'cpu', header: words.cpu, align: 'right', cell: row => price(row.cpu) },
        { id: 'memory', header: words.memory, align: 'right', cell: row => price(row.memory) },
        {
            id: 'idle',
            header: words.idleDiscount,
            align: 'right',
            cell: row => (row.idleDiscount == null ? '' : words.percent(row.idleDiscount)),
        },
    ];
    return (
        <DataTable
            label={text.usage.sections.prices}
            columns={columns}
            rows={rows}
            rowKey={row => row.mode}
        />
    );
}
