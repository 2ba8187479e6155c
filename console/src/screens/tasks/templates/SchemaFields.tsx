import { Stack, Text, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { InputFields } from '../run/InputFields';
import { begin, formOf } from '../run/schema';
import { parsed } from './draft';
import type { FieldsProps } from './TemplateFields';

const words = text.templates.form;
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
const EXAMPLE = `{
  "type": "object",
  "required": ["text"],
  "properties": {
    "text": { "type": "string", "maxLength": 200 }
  }
}`;

/** What inputs must look like, with the form that this makes; and other names of versions. */
export function SchemaFields({ draft, onDraft, wrong }: Omit<FieldsProps, 'isKnown'>) {
    const properties = useMemo(() => formOf(parsed(draft.schema)), [draft.schema]);
    return (
        <>
            <Section title={words.inputs}>
                <Stack gap="sm">
                    <Textarea
                        label={words.schema}
                        description={words.schemaHint}
                        inputWrapperOrder={ORDER}
                        rows={Math.min(20, Math.max(8, draft.schema.split('\n').length))}
                        spellCheck={false}
                        placeholder={EXAMPLE}
                        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                        value={draft.schema}
                        error={wrong('/spec/inputSchema')}
                        onChange={event => onDraft({ schema: event.currentTarget.value })}
                    />
                    {properties !== undefined && properties.length > 0 && (
                        <div role="group" aria-label={words.form}>
                            <Text size="sm" fw={600} mb="xs">
                                {words.form}
                            </Text>
                            <Trial key={draft.schema} properties={properties} />
                        </div>
                    )}
                </Stack>
            </Section>
            <Section title={words.aliases}>
                <Textarea
                    aria-label={words.aliases}
                    description={words.aliasesHint}
                    inputWrapperOrder={ORDER}
                    rows={2}
                    maw={400}
                    spellCheck={false}
                    placeholder="stable=1"
                    value={draft.aliases}
                    error={wrong('/spec/aliases')}
                    onChange={event => onDraft({ aliases: event.currentTarget.value })}
                />
            </Section>
        </>
    );
}

/** The form, to try it. What is typed there goes nowhere. */
function Trial({ properties }: { properties: NonNullable<ReturnType<typeof formOf>> }) {
    const [values, setValues] = useState(() => begin(properties));
    return (
        <InputFields
            properties={properties}
            values={values}
            pointer=""
            wrong={() => undefined}
            onValues={setValues}
        />
    );
}
