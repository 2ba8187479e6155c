import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Quota } from '../../api/queries/quotas';
import { workloads } from '../../api/queries/workloads';
import { text } from '../../texts';
import { Amount } from '../../ui/Amount';
import { figure } from '../../ui/amounts';
import { Section } from '../../ui/Page';
import { borrowedFrom, lentTo, type Loan } from './draws';

const words = text.quotas.books;
const RULES = ['own', 'childLevel', 'selfLevel', 'idle', 'total'] as const;

/** The account: draws by rule, and both sides of every loan. */
export function BooksTab({ quota }: { quota: Quota }) {
    const { name } = quota.metadata;
    const { data } = useQuery(workloads.list({}));
    const lent = useMemo(() => lentTo(name, data ?? []), [name, data]);
    const borrowed = useMemo(() => borrowedFrom(name, data ?? []), [name, data]);
    return (
        <Stack>
            <Section title={words.draws}>
                <Table fz="sm" maw={480}>
                    <Table.Tbody>
                        {RULES.map(rule => (
                            <Table.Tr key={rule} fw={rule === 'total' ? 600 : undefined}>
                                <Table.Th fw="inherit">{words.rules[rule]}</Table.Th>
                                <Table.Td ta="right">
                                    <Amount amounts={quota.status.drawn[rule]} />
                                </Table.Td>
                            </Table.Tr>
                        ))}
                    </Table.Tbody>
                </Table>
            </Section>
            <Section title={words.lent}>
                <Loans loans={lent} none={words.noneLent} />
            </Section>
            <Section title={words.borrowed}>
                <Loans loans={borrowed} none={words.noneBorrowed} />
            </Section>
        </Stack>
    );
}

function Loans({ loans, none }: { loans: readonly Loan[]; none: string }) {
    if (loans.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {none}
            </Text>
        );
    }
    return (
        <Table fz="sm" maw={640}>
            <Table.Thead>
                <Table.Tr>
                    <Table.Th>{words.quota}</Table.Th>
                    <Table.Th>{words.workload}</Table.Th>
                    <Table.Th>{words.rule}</Table.Th>
                    <Table.Th ta="right">{words.gpus}</Table.Th>
                </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
                {loans.map((loan, index) => (
                    <Table.Tr key={index}>
                        <Table.Td>{loan.quota}</Table.Td>
                        <Table.Td>{loan.workload}</Table.Td>
                        <Table.Td>{loan.rule}</Table.Td>
                        <Table.Td ta="right">{figure(loan.gpus)}</Table.Td>
                    </Table.Tr>
                ))}
            </Table.Tbody>
        </Table>
    );
}
