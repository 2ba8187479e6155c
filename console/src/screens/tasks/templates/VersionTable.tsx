import { Badge, Group } from '@mantine/core';
import type { Schema } from '../../../api/client';
import type { Template } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { DataTable } from '../../../ui/DataTable';
import { AnchorLink } from '../../../ui/links';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import styles from '../detail/Task.module.css';
import { joinCommand } from '../../workloads/submit/command';

const words = text.templates.detail;
const names = words.columns;
type Version = Schema<'TemplateVersion'>;

/** All versions, with the names that they go by. Each leads to itself in full. */
export function VersionTable({ template }: { template: Template }) {
    return (
        <DataTable
            label={words.versions}
            columns={columns(template)}
            rows={template.status.versions}
            rowKey={row => String(row.version)}
        />
    );
}

function columns({ metadata, spec, status }: Template): Column<Version>[] {
    const aliasesOf = ({ version }: Version) => [
        ...(version === status.latest ? [words.latest] : []),
        ...Object.entries(spec.aliases ?? {})
            .filter(([, number]) => number === version)
            .map(([name]) => name),
    ];
    return [
        {
            id: 'version',
            header: names.version,
            width: '5.5rem',
            cell: row =>
                row.version === status.version ? (
                    <strong aria-current="true">{row.version}</strong>
                ) : (
                    <AnchorLink
                        to="/tasks/templates/$template"
                        params={{ template: metadata.name }}
                        search={{ room: spec.workspace ?? undefined, version: String(row.version) }}
                        aria-label={words.show(row.version)}
                    >
                        {row.version}
                    </AnchorLink>
                ),
        },
        {
            id: 'aliases',
            header: names.aliases,
            cell: row => {
                const aliases = aliasesOf(row);
                return (
                    aliases.length > 0 && (
                        <Group gap={4}>
                            {aliases.map(name => (
                                <Badge key={name}>{name}</Badge>
                            ))}
                        </Group>
                    )
                );
            },
        },
        {
            id: 'command',
            header: names.command,
            width: '40%',
            cell: row => {
                const command = joinCommand(row.command);
                return (
                    <code className={styles.line} title={command}>
                        {command}
                    </code>
                );
            },
        },
        { id: 'by', header: names.by, cell: row => row.by },
        { id: 'at', header: names.at, cell: row => <RelativeTime at={row.createdAt} /> },
    ];
}
