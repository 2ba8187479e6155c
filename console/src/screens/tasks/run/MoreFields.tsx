import { Select, Textarea, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import fields from '../../../ui/Fields.module.css';
import { optionsOf } from '../../../ui/FilterBar';
import { Section } from '../../../ui/Page';
import type { Draft } from './draft';
import type { FieldsProps } from './fields';

const words = text.tasks.form;
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** What most tasks need not say. */
export function MoreFields({ draft, onDraft, wrong }: FieldsProps) {
    return (
        <Section title={words.more}>
            <div className={fields.row}>
                <Select
                    label={words.visibility}
                    allowDeselect={false}
                    data={optionsOf(text.workloads.form.visible)}
                    value={draft.visibility}
                    error={wrong('/visibility')}
                    onChange={value => onDraft({ visibility: value as Draft['visibility'] })}
                />
                <Textarea
                    label={words.labels}
                    description={words.labelsHint}
                    inputWrapperOrder={ORDER}
                    rows={2}
                    spellCheck={false}
                    value={draft.labels}
                    error={wrong('/labels')}
                    onChange={event => onDraft({ labels: event.currentTarget.value })}
                />
                <TextInput
                    label={words.duration}
                    description={words.durationHint}
                    inputWrapperOrder={ORDER}
                    placeholder="30s"
                    value={draft.duration}
                    error={wrong('/virtual')}
                    onChange={event => onDraft({ duration: event.currentTarget.value })}
                />
            </div>
        </Section>
    );
}
