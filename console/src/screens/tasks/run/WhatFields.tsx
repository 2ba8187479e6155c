import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { dedicated } from '../../../api/queries/dedicated';
import { templates, type Template } from '../../../api/queries/tasks';
import { useRooms } from '../../../session/rooms';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import fields from '../../../ui/Fields.module.css';
import { Section } from '../../../ui/Page';
import { terms } from '../../compute/describe';
import type { FieldsProps } from './fields';

const words = text.tasks.form;

interface Props extends FieldsProps {
    template: Template;
    version: string | undefined;
}

/** Which template, which version of it, and where. */
export function WhatFields({ draft, onDraft, wrong, template, version }: Props) {
    const navigate = useNavigate();
    const { data } = useQuery(templates.list(useWorkspace()));
    const rooms = useRooms('task:submit') ?? [];
    const { data: configs } = useQuery(dedicated.configs('active', draft.workspace ?? undefined));
    const active = (configs ?? []).map(one => ({ value: one.id, label: `${one.id}: ${terms(one)}` }));
    const isKnown = draft.config === null || active.some(one => one.value === draft.config);
    const choices = isKnown ? active : [draft.config ?? '', ...active];
    const { metadata, spec } = template;
    const names = [...new Set([metadata.name, ...(data ?? []).map(one => one.metadata.name)])].sort();
    const choose = (search: { template: string; version?: string }) =>
        void navigate({
            to: '/tasks/new',
            search: ({ ws, config }) => ({ ws, config, ...search }),
            replace: true,
        });
    return (
        <Section title={words.what}>
            <Stack gap="sm">
                <div className={fields.pairs}>
                    <Select
                        label={words.template}
                        data={names}
                        allowDeselect={false}
                        searchable={names.length > 8}
                        value={metadata.name}
                        onChange={name => name !== null && choose({ template: name })}
                    />
                    <Select
                        label={words.version}
                        data={versionsOf(template)}
                        allowDeselect={false}
                        value={version ?? ''}
                        onChange={next =>
                            choose({
                                template: metadata.name,
                                version: next === '' ? undefined : (next ?? undefined),
                            })
                        }
                    />
                    <TextInput
                        label={words.name}
                        description={words.nameHint}
                        value={draft.name}
                        error={wrong('/name')}
                        onChange={event => onDraft({ name: event.currentTarget.value })}
                    />
                    <Select
                        label={words.workspace}
                        data={spec.workspace == null ? rooms : [spec.workspace]}
                        allowDeselect={false}
                        value={draft.workspace}
                        error={wrong('/workspace')}
                        onChange={workspace => onDraft({ workspace, config: null })}
                    />
                    {choices.length > 0 && (
                        <Select
                            label={words.compute}
                            placeholder={words.shared}
                            clearable
                            data={choices}
                            value={draft.config}
                            onChange={config => onDraft({ config })}
                        />
                    )}
                </div>
                {(spec.description ?? '') !== '' && (
                    <Text size="sm" c="dimmed">
                        {spec.description}
                    </Text>
                )}
            </Stack>
        </Section>
    );
}

/** The latest, those that have another name, and all. */
function versionsOf({ spec, status }: Template) {
    const aliases = Object.entries(spec.aliases ?? {});
    return [
        { value: '', label: words.latest(status.latest) },
        ...aliases.map(([alias, number]) => ({ value: alias, label: words.alias(alias, number) })),
        ...status.versions.map(one => ({ value: String(one.version), label: String(one.version) })),
    ];
}
