import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { text } from '../texts';
import { differences } from './difference';
import { ScrollX } from './ScrollX';

const words = text.common.conflict;

interface Props {
    /** What was there when the form was opened. */
    before: unknown;
    /** What is there now; `undefined` while it is read. */
    theirs: unknown;
    /** What was to be sent. */
    mine: unknown;
    onTakeTheirs(): void;
    onTakeMine(): void;
}

/** Both versions, side by side, when somebody else was faster. */
export function ConflictView({ before, theirs, mine, onTakeTheirs, onTakeMine }: Props) {
    const all = theirs === undefined ? [] : differences(before, theirs, mine);
    const isSame = theirs !== undefined && all.length === 0;
    return (
        <Stack gap="md" data-testid="conflict">
            <Text size="sm">{isSame ? words.same : words.about}</Text>
            {all.length > 0 && (
                <ScrollX label={words.title}>
                    <Table fz="sm">
                        <Table.Thead>
                            <Table.Tr>
                                <Table.Th>{words.field}</Table.Th>
                                <Table.Th>{words.before}</Table.Th>
                                <Table.Th>{words.theirs}</Table.Th>
                                <Table.Th>{words.mine}</Table.Th>
                            </Table.Tr>
                        </Table.Thead>
                        <Table.Tbody>
                            {all.map(one => (
                                <Table.Tr key={one.path}>
                                    <Table.Td>
                                        <code>{one.path}</code>
                                    </Table.Td>
                                    <Table.Td>{one.before}</Table.Td>
                                    <Table.Td fw={one.theirs === one.before ? undefined : 600}>
                                        {one.theirs}
                                    </Table.Td>
                                    <Table.Td fw={one.mine === one.before ? undefined : 600}>
                                        {one.mine}
                                    </Table.Td>
                                </Table.Tr>
                            ))}
                        </Table.Tbody>
                    </Table>
                </ScrollX>
            )}
            <Group justify="flex-end">
                <Button variant="default" onClick={onTakeTheirs}>
                    {words.takeTheirs}
                </Button>
                {!isSame && (
                    <Button onClick={onTakeMine} disabled={theirs === undefined}>
                        {words.takeMine}
                    </Button>
                )}
            </Group>
        </Stack>
    );
}
