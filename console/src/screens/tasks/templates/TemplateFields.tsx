import { Select, Stack, TagsInput } from '@mantine/core';
import { useRooms } from '../../../session/rooms';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DraftLines, DraftNumber, DraftText, SizeInputs } from '../../../ui/DraftFields';
import styles from '../../../ui/Fields.module.css';
import { Section } from '../../../ui/Page';
import type { FieldsOf } from '../../../ui/usePreviewedChange';
import type { Draft } from './draft';

const words = text.templates.form;

export interface FieldsProps extends FieldsOf<Draft> {
    /** It is there already: its name and whose it is stay. */
    isKnown: boolean;
}

/** What it is, what runs, and what that needs and may take. */
export function TemplateFields({ isKnown, ...fields }: FieldsProps) {
    const { draft, onDraft, wrong } = fields;
    const { administrator } = useSession();
    const rooms = useRooms('template:update') ?? [];
    const everybody = { value: '', label: text.templates.everybody };
    return (
        <>
            <Section title={words.what}>
                <div className={styles.pairs}>
                    <DraftText
                        of={fields}
                        name="name"
                        at="/metadata/name"
                        label={words.name}
                        description={isKnown ? undefined : words.nameHint}
                        disabled={isKnown}
                    />
                    <Select
                        label={words.room}
                        description={isKnown ? undefined : words.roomHint}
                        disabled={isKnown}
                        allowDeselect={false}
                        data={[...(administrator || draft.room === '' ? [everybody] : []), ...rooms]}
                        value={draft.room}
                        error={wrong('/spec/workspace')}
                        onChange={room => onDraft({ room: room ?? '' })}
                    />
                </div>
                <DraftText
                    of={fields}
                    name="description"
                    at="/spec/description"
                    mt="sm"
                    label={words.description}
                />
            </Section>
            <Section title={words.runs}>
                <Stack gap="sm">
                    <DraftLines
                        of={fields}
                        name="command"
                        at="/spec/command"
                        label={words.command}
                        description={words.commandHint}
                        rows={3}
                        placeholder="python resize.py --quality 90"
                    />
                    <DraftLines
                        of={fields}
                        name="env"
                        at="/spec/env"
                        label={words.env}
                        description={words.envHint}
                        rows={2}
                    />
                </Stack>
            </Section>
            <Section title={words.needs}>
                <div className={styles.four}>
                    <SizeInputs of={fields} at="/spec/resources" words={words} />
                    <TagsInput
                        label={words.models}
                        description={words.modelsHint}
                        value={[...draft.models]}
                        error={wrong('/spec/gpuModels')}
                        onChange={models => onDraft({ models })}
                    />
                </div>
            </Section>
            <LimitFields {...fields} />
        </>
    );
}

function LimitFields(fields: FieldsOf<Draft>) {
    const defaults = text.templates.detail.defaults;
    return (
        <Section title={words.limits}>
            <div className={styles.four}>
                <DraftText
                    of={fields}
                    name="maxRunTime"
                    at="/spec/maxRunTime"
                    label={words.maxRunTime}
                    placeholder={defaults.maxRunTime}
                />
                <DraftNumber
                    of={fields}
                    name="retries"
                    at="/spec/retries"
                    label={words.retries}
                    placeholder="0"
                    max={100}
                />
                <DraftText
                    of={fields}
                    name="outputLimit"
                    at="/spec/outputLimit"
                    label={words.outputLimit}
                    placeholder={defaults.outputLimit}
                />
                <DraftText
                    of={fields}
                    name="filesLimit"
                    at="/spec/filesLimit"
                    label={words.filesLimit}
                    placeholder={defaults.filesLimit}
                />
                <DraftNumber
                    of={fields}
                    name="workers"
                    at="/spec/warm/workers"
                    label={words.workers}
                    description={words.workersHint}
                    placeholder="0"
                    max={64}
                />
            </div>
        </Section>
    );
}
