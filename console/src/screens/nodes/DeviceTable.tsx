import { Badge, Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { outlines, type Outline } from '../../api/queries/outlines';
import type { Schema } from '../../api/client';
import type { Node } from '../../api/queries/supply';
import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import { PathLink, pathOf } from '../../ui/PathLink';
import { RelativeTime } from '../../ui/RelativeTime';
import { ScrollX } from '../../ui/ScrollX';
import styles from './DeviceTable.module.css';
import type { NodeChange } from './NodeChangeDialog';

const words = text.nodes.detail;
type Occupant = Schema<'Occupant'>;

interface Props {
    node: Node;
    /** What is asked to be done to one of them. */
    onChange(change: NodeChange): void;
}

/** The GPUs of a node, one by one: whether they are in service, and who runs there. */
export function DeviceTable({ node, onChange }: Props) {
    const { devices, withoutDevices = [] } = node.status;
    const uids = useMemo(() => {
        const all = [...devices.flatMap(device => device.workloads), ...withoutDevices];
        return [...new Set(all.flatMap(one => (one.uid == null ? [] : [one.uid])))].sort();
    }, [devices, withoutDevices]);
    const { data } = useQuery(outlines.some(uids));
    const works = useMemo(() => new Map(data?.map(work => [work.uid, work])), [data]);
    if (devices.length === 0 && withoutDevices.length === 0) {
        return (
            <Text size="sm" c="dimmed">
                {words.noGpus}
            </Text>
        );
    }
    return (
        <ScrollX label={words.devices}>
            <Table className={styles.table} fz="sm" verticalSpacing={4}>
                <Table.Thead>
                    <Table.Tr>
                        <Table.Th>{words.device}</Table.Th>
                        <Table.Th>{words.health}</Table.Th>
                        <Table.Th>{words.work}</Table.Th>
                        <Table.Th>{words.quota}</Table.Th>
                        <Table.Th>{words.workspace}</Table.Th>
                        <Table.Th>{words.since2}</Table.Th>
                        <Table.Th>
                            <span className={styles.hidden}>{text.common.actions}</span>
                        </Table.Th>
                    </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                    {devices.map(device => (
                        <Table.Tr key={device.index} data-device={device.index}>
                            <Table.Td>{device.index}</Table.Td>
                            <Table.Td>
                                <Health why={device.quarantined} />
                            </Table.Td>
                            <Holders holders={device.workloads} works={works} isDevice />
                            <Table.Td ta="right">
                                <Button
                                    variant="subtle"
                                    size="compact-xs"
                                    c={device.quarantined == null ? 'dimmed' : undefined}
                                    onClick={() =>
                                        onChange({
                                            kind: device.quarantined == null ? 'quarantine' : 'restore',
                                            device: device.index,
                                        })
                                    }
                                >
                                    {device.quarantined == null
                                        ? text.nodes.actions.quarantine
                                        : text.nodes.actions.restore}
                                </Button>
                            </Table.Td>
                        </Table.Tr>
                    ))}
                    {withoutDevices.map(one => (
                        <Table.Tr key={`${one.uid ?? one.name}.${one.unit}`}>
                            <Table.Td colSpan={2}>{words.without}</Table.Td>
                            <Holders holders={[one]} works={works} />
                            <Table.Td />
                        </Table.Tr>
                    ))}
                </Table.Tbody>
            </Table>
        </ScrollX>
    );
}

function Health({ why }: { why: string | null | undefined }) {
    if (why == null) return <span className={styles.muted}>{words.healthy}</span>;
    return (
        <span className={styles.out}>
            <Badge color="coral">{words.outOfService}</Badge> {why}
        </span>
    );
}

interface HoldersProps {
    holders: readonly Occupant[];
    works: ReadonlyMap<string, Outline>;
    isDevice?: boolean;
}

/** Four cells: who, of which quota and workspace, since when. Several that share a GPU stand below each other. */
function Holders({ holders, works, isDevice = false }: HoldersProps) {
    const lines = holders.map(one => ({ one, work: one.uid == null ? undefined : works.get(one.uid) }));
    const cell = (of: (work: Outline) => React.ReactNode) => (
        <Table.Td>
            {lines.map(({ work }, index) => (
                <div key={index}>{work ? of(work) : ' '}</div>
            ))}
        </Table.Td>
    );
    return (
        <>
            <Table.Td>
                {lines.length === 0 && <span className={styles.muted}>{words.free}</span>}
                {lines.map(({ one }, index) => (
                    <div key={index}>
                        {one.uid == null ? (
                            one.name
                        ) : (
                            <PathLink path={pathOf.workload(one.uid)}>{one.name}</PathLink>
                        )}{' '}
                        <span className={styles.muted}>{aside(one, isDevice)}</span>
                    </div>
                ))}
            </Table.Td>
            {cell(work => (
                <PathLink path={pathOf.quota(work.quota)}>{work.quota}</PathLink>
            ))}
            {cell(work => work.workspace)}
            {cell(work => work.startedAt !== undefined && <RelativeTime at={work.startedAt} />)}
        </>
    );
}

function aside(one: Occupant, isDevice: boolean): string {
    const parts = [
        isDevice && one.gpu < 1 ? words.share(figure(one.gpu)) : '',
        one.state === 'running' ? '' : words[one.state],
    ];
    return parts.filter(part => part !== '').join(', ');
}
