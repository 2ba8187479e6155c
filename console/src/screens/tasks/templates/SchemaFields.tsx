import { Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { text } from '../../../texts';
import { DraftLines } from '../../../ui/DraftFields';
import { Section } from '../../../ui/Page';
import type { FieldsOf } from '../../../ui/usePreviewedChange';
import { InputFields } from '../run/InputFields';
import { begin, formOf } from '../run/schema';
import { parsed, type Draft } from './draft';

const words = text.templates.form;
const EXAMPLE = `{
  "type": "object",
  "required": ["text"],
  "properties": {
    "text": { "type": "string", "maxLength": 200 }
  }
}`;

/** What inputs must look like, with the form that this makes; and other names of versions. */
export function SchemaFields(fields: FieldsOf<Draft>) {
    const { draft } = fields;
    const properties = useMemo(() => formOf(parsed(draft.schema)), [draft.schema]);
    return (
        <>
            <Section title={words.inputs}>
                <Stack gap="sm">
                    <DraftLines
                        of={fields}
                        name="schema"
                        at="/spec/inputSchema"
                        label={words.schema}
                        description={words.schemaHint}
                        rows={Math.min(20, Math.max(8, draft.schema.split('\n').length))}
                        placeholder={EXAMPLE}
                        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
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
                <DraftLines
                    of={fields}
                    name="aliases"
                    at="/spec/aliases"
                    aria-label={words.aliases}
                    description={words.aliasesHint}
                    rows={2}
                    maw={400}
                    placeholder="stable=1"
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
