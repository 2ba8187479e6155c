import { Checkbox, NumberInput, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import type { Draft } from './draft';
import type { FieldsProps } from './fields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;
const ORDER = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];
const options = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));

/** How long, what happens when it must leave, and who sees it. */
export function RuleFields({ draft, onDraft, wrong }: FieldsProps) {
    return (
        <Section title={words.rules}>
            <Stack gap="sm">
                <div className={styles.row}>
                    <TextInput
                        label={words.maxRunTime}
                        placeholder="12h"
                        value={draft.maxRunTime}
                        error={wrong('/spec/maxRunTime')}
                        onChange={event => onDraft({ maxRunTime: event.currentTarget.value })}
                    />
                    <TextInput
                        label={words.gracePeriod}
                        description={words.gracePeriodHint}
                        inputWrapperOrder={ORDER}
                        placeholder="30s"
                        value={draft.gracePeriod}
                        error={wrong('/spec/gracePeriod')}
                        onChange={event => onDraft({ gracePeriod: event.currentTarget.value })}
                    />
                    <Select
                        label={words.onPreempt}
                        allowDeselect={false}
                        data={options(words.onPreemptWays)}
                        value={draft.onPreempt}
                        error={wrong('/spec/onPreempt')}
                        onChange={way => onDraft({ onPreempt: way as Draft['onPreempt'] })}
                    />
                    <NumberInput
                        label={words.restarts}
                        min={0}
                        allowDecimal={false}
                        value={draft.restarts}
                        error={wrong('/spec/restarts')}
                        onChange={restarts => onDraft({ restarts })}
                    />
                    {draft.module === 'training' && (
                        <Select
                            label={words.idle}
                            allowDeselect={false}
                            data={options(words.idleUse)}
                            value={draft.idle}
                            error={wrong('/spec/idle')}
                            onChange={idle => onDraft({ idle: idle as Draft['idle'] })}
                        />
                    )}
                    <TagsInput
                        label={words.gpuModels}
                        description={words.gpuModelsHint}
                        inputWrapperOrder={ORDER}
                        value={[...draft.gpuModels]}
                        error={wrong('/spec/gpuModels')}
                        onChange={gpuModels => onDraft({ gpuModels })}
                    />
                    <Select
                        label={words.visibility}
                        allowDeselect={false}
                        data={options(words.visible)}
                        value={draft.visibility}
                        error={wrong('/spec/visibility')}
                        onChange={visibility => onDraft({ visibility: visibility as Draft['visibility'] })}
                    />
                    <TextInput
                        label={words.duration}
                        description={words.durationHint}
                        inputWrapperOrder={ORDER}
                        placeholder={words.durationPlaceholder}
                        value={draft.duration}
                        error={wrong('/spec/virtual')}
                        onChange={event => onDraft({ duration: event.currentTarget.value })}
                    />
                    <Textarea
                        label={words.labels}
                        description={words.labelsHint}
                        inputWrapperOrder={ORDER}
                        rows={2}
                        spellCheck={false}
                        value={draft.labels}
                        error={wrong('/metadata/labels')}
                        onChange={event => onDraft({ labels: event.currentTarget.value })}
                    />
                </div>
                <Checkbox
                    label={words.suspend}
                    checked={draft.suspend}
                    onChange={event => onDraft({ suspend: event.currentTarget.checked })}
                />
            </Stack>
        </Section>
    );
}
