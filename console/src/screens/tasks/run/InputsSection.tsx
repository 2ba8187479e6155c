import { SegmentedControl, Stack, Text } from '@mantine/core';
import { text } from '../../../texts';
import { JsonField } from '../../../ui/JsonField';
import { Section } from '../../../ui/Page';
import type { FieldsProps } from './fields';
import { InputFields } from './InputFields';
import type { Property } from './schema';

const words = text.tasks.form;

/** What the task is given: in fields, where the schema allows it, or as JSON. */
export function InputsSection(props: FieldsProps & { properties: readonly Property[] | undefined }) {
    const { draft, onDraft, wrong, properties } = props;
    const isPlain = typeof draft.inputs === 'object' && draft.inputs !== null && !Array.isArray(draft.inputs);
    const canBeFields = properties !== undefined && (draft.inputs === undefined || isPlain);
    const isJson = draft.isJson || !canBeFields;
    return (
        <Section
            title={words.inputs}
            actions={
                properties !== undefined && (
                    <SegmentedControl
                        size="xs"
                        aria-label={words.as.label}
                        value={isJson ? 'json' : 'fields'}
                        onChange={value => onDraft({ isJson: value === 'json', isBroken: false })}
                        data={[
                            { value: 'fields', label: words.as.fields, disabled: !canBeFields },
                            { value: 'json', label: words.as.json },
                        ]}
                    />
                )
            }
        >
            <Stack gap="sm">
                {properties === undefined && (
                    <Text size="sm" c="dimmed">
                        {words.inputsNone}
                    </Text>
                )}
                {isJson ? (
                    <JsonField
                        label={words.json}
                        description={words.jsonHint}
                        value={draft.inputs}
                        error={wrong('/inputs')}
                        onValue={inputs => onDraft({ inputs })}
                        onBroken={isBroken => onDraft({ isBroken })}
                    />
                ) : properties?.length === 0 ? (
                    <Text size="sm" c="dimmed">
                        {words.inputsEmpty}
                    </Text>
                ) : (
                    <InputFields
                        properties={properties ?? []}
                        values={draft.inputs}
                        pointer="/inputs"
                        wrong={wrong}
                        onValues={inputs => onDraft({ inputs })}
                    />
                )}
            </Stack>
        </Section>
    );
}
