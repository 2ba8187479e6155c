import { Checkbox, Select, Stack, TagsInput } from '@mantine/core';
import { text } from '../../../texts';
import { DraftLines, DraftNumber, DraftText } from '../../../ui/DraftFields';
import { optionsOf } from '../../../ui/FilterBar';
import { Section } from '../../../ui/Page';
import type { Draft } from './draft';
import type { FieldsProps } from './fields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;

/** How long, what happens when it must leave, and who sees it. */
export function RuleFields(fields: FieldsProps) {
    const { draft, onDraft, wrong } = fields;
    return (
        <Section title={words.rules}>
            <Stack gap="sm">
                <div className={styles.row}>
                    <DraftText
                        of={fields}
                        name="maxRunTime"
                        at="/spec/maxRunTime"
                        label={words.maxRunTime}
                        placeholder="12h"
                    />
                    <DraftText
                        of={fields}
                        name="gracePeriod"
                        at="/spec/gracePeriod"
                        label={words.gracePeriod}
                        description={words.gracePeriodHint}
                        placeholder="30s"
                    />
                    <Select
                        label={words.onPreempt}
                        allowDeselect={false}
                        data={optionsOf(words.onPreemptWays)}
                        value={draft.onPreempt}
                        error={wrong('/spec/onPreempt')}
                        onChange={way => onDraft({ onPreempt: way as Draft['onPreempt'] })}
                    />
                    <DraftNumber of={fields} name="restarts" at="/spec/restarts" label={words.restarts} />
                    {draft.module === 'training' && (
                        <Select
                            label={words.idle}
                            allowDeselect={false}
                            data={optionsOf(words.idleUse)}
                            value={draft.idle}
                            error={wrong('/spec/idle')}
                            onChange={idle => onDraft({ idle: idle as Draft['idle'] })}
                        />
                    )}
                    <TagsInput
                        label={words.gpuModels}
                        description={words.gpuModelsHint}
                        value={[...draft.gpuModels]}
                        error={wrong('/spec/gpuModels')}
                        onChange={gpuModels => onDraft({ gpuModels })}
                    />
                    <Select
                        label={words.visibility}
                        allowDeselect={false}
                        data={optionsOf(words.visible)}
                        value={draft.visibility}
                        error={wrong('/spec/visibility')}
                        onChange={visibility => onDraft({ visibility: visibility as Draft['visibility'] })}
                    />
                    <DraftText
                        of={fields}
                        name="duration"
                        at="/spec/virtual"
                        label={words.duration}
                        description={words.durationHint}
                        placeholder={words.durationPlaceholder}
                    />
                    <DraftLines
                        of={fields}
                        name="labels"
                        at="/metadata/labels"
                        label={words.labels}
                        description={words.labelsHint}
                        rows={2}
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
