import { Table } from '@mantine/core';
import type { SimBook } from '../../api/queries/simulations';
import { text } from '../../texts';
import styles from './BooksTable.module.css';
import { amountText } from './describe';

const words = text.whatIf.books;

/** The accounts of all quotas, as a tree. */
export function BooksTable({ books }: { books: readonly SimBook[] }) {
    const depths = new Map<string, number>();
    for (const book of books) {
        depths.set(book.quota, book.parent === null ? 0 : (depths.get(book.parent) ?? 0) + 1);
    }
    return (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={text.whatIf.result.books}>
            <Table fz="xs" verticalSpacing={3} horizontalSpacing={6}>
                <Table.Thead>
                    <Table.Tr>
                        <Table.Th>{words.quota}</Table.Th>
                        <Table.Th ta="right">{words.guarantee}</Table.Th>
                        <Table.Th ta="right">{words.own}</Table.Th>
                        <Table.Th ta="right">{words.childLevel}</Table.Th>
                        <Table.Th ta="right">{words.selfLevel}</Table.Th>
                        <Table.Th ta="right">{words.idle}</Table.Th>
                        <Table.Th ta="right">{words.balance}</Table.Th>
                        <Table.Th ta="right">{words.queued}</Table.Th>
                    </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                    {books.map(book => (
                        <Table.Tr key={book.quota}>
                            <Table.Td pl={6 + (depths.get(book.quota) ?? 0) * 14} fw={600}>
                                {book.quota}
                            </Table.Td>
                            <Table.Td ta="right">{amountText(book.guarantee)}</Table.Td>
                            {['own', 'child-level', 'self-level', 'idle'].map(rule => (
                                <Table.Td key={rule} ta="right">
                                    {amountText(book.drawn[rule] ?? 0)}
                                </Table.Td>
                            ))}
                            <Table.Td ta="right" c={book.overdrawn ? 'var(--tide-warn)' : undefined}>
                                {amountText(book.balance)}
                            </Table.Td>
                            <Table.Td ta="right">{book.queued}</Table.Td>
                        </Table.Tr>
                    ))}
                </Table.Tbody>
            </Table>
        </div>
    );
}
