import { Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client';
import { quotas, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { Section } from '../../ui/Page';
import { ScrollX } from '../../ui/ScrollX';

const words = text.quotas.users;
type Usage = Schema<'Usage'>;

/** Who uses the quota, by member and by workspace. */
export function UsersTab({ quota }: { quota: Quota }) {
    const { data } = useQuery(quotas.usage(quota.metadata.name));
    return (
        <Stack>
            <Section title={words.members}>
                <UsageTable
                    who={words.member}
                    rows={(data?.users ?? []).map(one => ({
                        name: [one.user ?? words.hidden, one.workspace].filter(Boolean).join(' · '),
                        usage: one,
                    }))}
                    total={data?.total}
                />
            </Section>
            <Section title={words.workspaces}>
                <UsageTable
                    who={text.shell.workspace}
                    rows={(data?.workspaces ?? []).map(one => ({
                        name: one.workspace ?? words.hidden,
                        usage: one,
                    }))}
                />
            </Section>
        </Stack>
    );
}

const FIGURES = ['submitted', 'queued', 'running', 'requested', 'drawn', 'lent', 'borrowed'] as const;

function UsageTable({
    who,
    rows,
    total,
}: {
    who: string;
    rows: { name: string; usage: Usage }[];
    total?: Usage;
}) {
    return (
        <ScrollX label={who}>
            <Table fz="sm">
                <Table.Thead>
                    <Table.Tr>
                        <Table.Th>{who}</Table.Th>
                        {FIGURES.map(one => (
                            <Table.Th key={one} ta="right">
                                {words.figures[one]}
                            </Table.Th>
                        ))}
                    </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                    {rows.map((row, index) => (
                        <Table.Tr key={index}>
                            <Table.Td>{row.name}</Table.Td>
                            {FIGURES.map(one => (
                                <Table.Td key={one} ta="right">
                                    {figure(row.usage[one])}
                                </Table.Td>
                            ))}
                        </Table.Tr>
                    ))}
                    {total && (
                        <Table.Tr fw={600}>
                            <Table.Td>{words.total}</Table.Td>
                            {FIGURES.map(one => (
                                <Table.Td key={one} ta="right">
                                    {figure(total[one])}
                                </Table.Td>
                            ))}
                        </Table.Tr>
                    )}
                </Table.Tbody>
            </Table>
        </ScrollX>
    );
}
