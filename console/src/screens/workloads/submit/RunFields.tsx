import { Stack } from '@mantine/core';
import { text } from '../../../texts';
import { DraftLines, DraftText } from '../../../ui/DraftFields';
import { Section } from '../../../ui/Page';
import { isReached } from './draft';
import type { FieldsProps } from './fields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;

/** What is started. */
export function RunFields(fields: FieldsProps) {
    const { draft } = fields;
    return (
        <Section title={words.run}>
            <Stack gap="sm">
                <DraftText
                    of={fields}
                    name="command"
                    at="/spec/command"
                    label={words.command}
                    description={words.commandHint}
                    placeholder="python train.py --epochs 3"
                    spellCheck={false}
                />
                <div className={styles.row}>
                    <DraftLines
                        of={fields}
                        name="env"
                        at="/spec/env"
                        label={words.env}
                        description={words.envHint}
                        autosize={false}
                        rows={2}
                    />
                    <DraftText
                        of={fields}
                        name="workingDir"
                        at="/spec/workingDir"
                        label={words.workingDir}
                        spellCheck={false}
                    />
                    {isReached(draft.module) && (
                        <DraftText
                            of={fields}
                            name="readyPath"
                            at="/spec/readiness"
                            label={words.readyPath}
                            description={words.readyPathHint}
                            placeholder="/health"
                        />
                    )}
                    {draft.module === 'notebook' && (
                        <DraftText
                            of={fields}
                            name="idleTimeout"
                            at="/spec/idleTimeout"
                            label={words.idleTimeout}
                            placeholder="2h"
                        />
                    )}
                </div>
            </Stack>
        </Section>
    );
}
