import { NumberInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import type { Module } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import type { FieldsProps } from './fields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;

interface Props extends FieldsProps {
    workspaces: readonly string[];
    quotas: readonly string[];
}

/** What kind of work it is, and where it goes. */
export function PlaceFields({ draft, onDraft, wrong, workspaces, quotas }: Props) {
    return (
        <Section title={words.place}>
            <Stack gap="sm">
                <div>
                    <SegmentedControl
                        fullWidth
                        aria-label={words.module}
                        value={draft.module}
                        onChange={module => onDraft({ module: module as Module })}
                        data={Object.entries(text.workloads.modules).map(([value, label]) => ({
                            value,
                            label,
                        }))}
                    />
                    <Text size="sm" c="dimmed" mt={6}>
                        {words.modulesAbout[draft.module]}
                    </Text>
                </div>
                <div className={styles.pairs}>
                    <TextInput
                        label={words.name}
                        description={words.nameHint}
                        value={draft.name}
                        error={wrong('/metadata/name')}
                        onChange={event => onDraft({ name: event.currentTarget.value })}
                    />
                    <Select
                        label={words.workspace}
                        data={[...workspaces]}
                        allowDeselect={false}
                        searchable={workspaces.length > 8}
                        value={draft.workspace}
                        error={wrong('/spec/workspace')}
                        onChange={workspace => onDraft({ workspace, quota: null })}
                    />
                    <Select
                        label={words.quota}
                        placeholder={words.quotaDefault}
                        data={[...quotas]}
                        clearable
                        searchable={quotas.length > 8}
                        value={draft.quota}
                        error={wrong('/spec/quota')}
                        onChange={quota => onDraft({ quota })}
                    />
                    <NumberInput
                        label={words.priority}
                        description={words.priorityHint}
                        min={1}
                        max={9}
                        allowDecimal={false}
                        value={draft.priority}
                        error={wrong('/spec/priority')}
                        onChange={priority => onDraft({ priority })}
                    />
                </div>
            </Stack>
        </Section>
    );
}
