import { Select } from '@mantine/core';
import { text } from '../../../texts';
import { DraftLines, DraftText } from '../../../ui/DraftFields';
import styles from '../../../ui/Fields.module.css';
import { optionsOf } from '../../../ui/FilterBar';
import { Section } from '../../../ui/Page';
import type { Draft } from './draft';
import type { FieldsProps } from './fields';

const words = text.tasks.form;

/** What most tasks need not say. */
export function MoreFields(fields: FieldsProps) {
    const { draft, onDraft, wrong } = fields;
    return (
        <Section title={words.more}>
            <div className={styles.row}>
                <Select
                    label={words.visibility}
                    allowDeselect={false}
                    data={optionsOf(text.workloads.form.visible)}
                    value={draft.visibility}
                    error={wrong('/visibility')}
                    onChange={value => onDraft({ visibility: value as Draft['visibility'] })}
                />
                <DraftLines
                    of={fields}
                    name="labels"
                    at="/labels"
                    label={words.labels}
                    description={words.labelsHint}
                    rows={2}
                />
                <DraftText
                    of={fields}
                    name="duration"
                    at="/virtual"
                    label={words.duration}
                    description={words.durationHint}
                    placeholder="30s"
                />
            </div>
        </Section>
    );
}
