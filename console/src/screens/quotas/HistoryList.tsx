import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { quotas } from '../../api/queries/quotas';
import { text } from '../../texts';
import { differences } from '../../ui/difference';
import { Section } from '../../ui/Page';
import { ScrollX } from '../../ui/ScrollX';
import { RelativeTime } from '../../ui/RelativeTime';

const words = text.quotas.history;

/** Who changed what, newest first. */
export function HistoryList({ name }: { name: string }) {
    const { data } = useQuery(quotas.history(name));
    return (
        <Section title={words.title}>
            {data?.items.length === 0 && <Text size="sm">{words.none}</Text>}
            <ScrollX label={words.title}>
                <Table fz="sm">
                    <Table.Thead>
                        <Table.Tr>
                            <Table.Th>{words.when}</Table.Th>
                            <Table.Th>{words.who}</Table.Th>
                            <Table.Th>{words.what}</Table.Th>
                            <Table.Th>{words.details}</Table.Th>
                        </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                        {data?.items.map(one => (
                            <Table.Tr key={one.number}>
                                <Table.Td>
                                    <RelativeTime at={one.at} />
                                </Table.Td>
                                <Table.Td>{one.by}</Table.Td>
                                <Table.Td>{one.operation}</Table.Td>
                                <Table.Td>{details(one)}</Table.Td>
                            </Table.Tr>
                        ))}
                    </Table.Tbody>
                </Table>
            </ScrollX>
        </Section>
    );
}

/** `guarantee.gpu: 48 → 56`; where the change carries no specifications, what its event says. */
function details(change: { before?: unknown; after?: unknown; event: Record<string, unknown> }): string {
    if (change.before != null && change.after != null) {
        const changed = differences(change.before, change.before, change.after);
        return changed.map(one => `${one.path}: ${one.theirs || '–'} → ${one.mine || '–'}`).join('; ');
    }
    const known = new Set(['number', 'at', 'quota', 'event', 'uid']);
    const rest = Object.entries(change.event).filter(([key]) => !known.has(key));
    return rest
        .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
        .join(', ');
}
