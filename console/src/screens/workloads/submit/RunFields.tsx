import { Stack, Textarea, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { isReached } from './draft';
import type { FieldsProps } from './fields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;
const ORDER = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

/** What is started. */
export function RunFields({ draft, onDraft, wrong }: FieldsProps) {
    return (
        <Section title={words.run}>
            <Stack gap="sm">
                <TextInput
                    label={words.command}
                    description={words.commandHint}
                    inputWrapperOrder={ORDER}
                    placeholder="python train.py --epochs 3"
                    spellCheck={false}
                    value={draft.command}
                    error={wrong('/spec/command')}
                    onChange={event => onDraft({ command: event.currentTarget.value })}
                />
                <div className={styles.row}>
                    <Textarea
                        label={words.env}
                        description={words.envHint}
                        inputWrapperOrder={ORDER}
                        autosize={false}
                        rows={2}
                        spellCheck={false}
                        value={draft.env}
                        error={wrong('/spec/env')}
                        onChange={event => onDraft({ env: event.currentTarget.value })}
                    />
                    <TextInput
                        label={words.workingDir}
                        spellCheck={false}
                        value={draft.workingDir}
                        error={wrong('/spec/workingDir')}
                        onChange={event => onDraft({ workingDir: event.currentTarget.value })}
                    />
                    {isReached(draft.module) && (
                        <TextInput
                            label={words.readyPath}
                            description={words.readyPathHint}
                            inputWrapperOrder={ORDER}
                            placeholder="/health"
                            value={draft.readyPath}
                            error={wrong('/spec/readiness')}
                            onChange={event => onDraft({ readyPath: event.currentTarget.value })}
                        />
                    )}
                    {draft.module === 'notebook' && (
                        <TextInput
                            label={words.idleTimeout}
                            placeholder="2h"
                            value={draft.idleTimeout}
                            error={wrong('/spec/idleTimeout')}
                            onChange={event => onDraft({ idleTimeout: event.currentTarget.value })}
                        />
                    )}
                </div>
            </Stack>
        </Section>
    );
}
