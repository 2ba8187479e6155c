import { NumberInput, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useRooms } from '../../../session/rooms';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import styles from '../../../ui/Fields.module.css';
import { Section } from '../../../ui/Page';
import type { Draft } from './draft';

const words = text.templates.form;
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export interface FieldsProps {
    draft: Draft;
    onDraft(change: Partial<Draft>): void;
    wrong(pointer: string): string | undefined;
    /** It is there already: its name and whose it is stay. */
    isKnown: boolean;
}

/** What it is, what runs, and what that needs and may take. */
export function TemplateFields({ draft, onDraft, wrong, isKnown }: FieldsProps) {
    const { administrator } = useSession();
    const rooms = useRooms('template:update') ?? [];
    const everybody = { value: '', label: text.templates.everybody };
    return (
        <>
            <Section title={words.what}>
                <div className={styles.pairs}>
                    <TextInput
                        label={words.name}
                        description={isKnown ? undefined : words.nameHint}
                        inputWrapperOrder={ORDER}
                        disabled={isKnown}
                        value={draft.name}
                        error={wrong('/metadata/name')}
                        onChange={event => onDraft({ name: event.currentTarget.value })}
                    />
                    <Select
                        label={words.room}
                        description={isKnown ? undefined : words.roomHint}
                        inputWrapperOrder={ORDER}
                        disabled={isKnown}
                        allowDeselect={false}
                        data={[...(administrator || draft.room === '' ? [everybody] : []), ...rooms]}
                        value={draft.room}
                        error={wrong('/spec/workspace')}
                        onChange={room => onDraft({ room: room ?? '' })}
                    />
                </div>
                <TextInput
                    mt="sm"
                    label={words.description}
                    value={draft.description}
                    error={wrong('/spec/description')}
                    onChange={event => onDraft({ description: event.currentTarget.value })}
                />
            </Section>
            <Section title={words.runs}>
                <Stack gap="sm">
                    <Textarea
                        label={words.command}
                        description={words.commandHint}
                        inputWrapperOrder={ORDER}
                        rows={3}
                        spellCheck={false}
                        placeholder="python resize.py --quality 90"
                        value={draft.command}
                        error={wrong('/spec/command')}
                        onChange={event => onDraft({ command: event.currentTarget.value })}
                    />
                    <Textarea
                        label={words.env}
                        description={words.envHint}
                        inputWrapperOrder={ORDER}
                        rows={2}
                        spellCheck={false}
                        value={draft.env}
                        error={wrong('/spec/env')}
                        onChange={event => onDraft({ env: event.currentTarget.value })}
                    />
                </Stack>
            </Section>
            <Section title={words.needs}>
                <div className={styles.four}>
                    <NumberInput
                        label={words.gpu}
                        placeholder="0"
                        min={0}
                        decimalScale={3}
                        value={draft.gpu}
                        error={wrong('/spec/resources/gpu')}
                        onChange={gpu => onDraft({ gpu })}
                    />
                    <NumberInput
                        label={words.cpu}
                        placeholder="1"
                        min={0}
                        decimalScale={3}
                        value={draft.cpu}
                        error={wrong('/spec/resources/cpu')}
                        onChange={cpu => onDraft({ cpu })}
                    />
                    <TextInput
                        label={words.memory}
                        placeholder="2Gi"
                        value={draft.memory}
                        error={wrong('/spec/resources/memory')}
                        onChange={event => onDraft({ memory: event.currentTarget.value })}
                    />
                    <TagsInput
                        label={words.models}
                        description={words.modelsHint}
                        inputWrapperOrder={ORDER}
                        value={[...draft.models]}
                        error={wrong('/spec/gpuModels')}
                        onChange={models => onDraft({ models })}
                    />
                </div>
            </Section>
            <LimitFields draft={draft} onDraft={onDraft} wrong={wrong} />
        </>
    );
}

function LimitFields({ draft, onDraft, wrong }: Omit<FieldsProps, 'isKnown'>) {
    const defaults = text.templates.detail.defaults;
    return (
        <Section title={words.limits}>
            <div className={styles.four}>
                <TextInput
                    label={words.maxRunTime}
                    placeholder={defaults.maxRunTime}
                    value={draft.maxRunTime}
                    error={wrong('/spec/maxRunTime')}
                    onChange={event => onDraft({ maxRunTime: event.currentTarget.value })}
                />
                <NumberInput
                    label={words.retries}
                    placeholder="0"
                    min={0}
                    max={100}
                    allowDecimal={false}
                    value={draft.retries}
                    error={wrong('/spec/retries')}
                    onChange={retries => onDraft({ retries })}
                />
                <TextInput
                    label={words.outputLimit}
                    placeholder={defaults.outputLimit}
                    value={draft.outputLimit}
                    error={wrong('/spec/outputLimit')}
                    onChange={event => onDraft({ outputLimit: event.currentTarget.value })}
                />
                <TextInput
                    label={words.filesLimit}
                    placeholder={defaults.filesLimit}
                    value={draft.filesLimit}
                    error={wrong('/spec/filesLimit')}
                    onChange={event => onDraft({ filesLimit: event.currentTarget.value })}
                />
                <NumberInput
                    label={words.workers}
                    description={words.workersHint}
                    placeholder="0"
                    min={0}
                    max={64}
                    allowDecimal={false}
                    value={draft.workers}
                    error={wrong('/spec/warm/workers')}
                    onChange={workers => onDraft({ workers })}
                />
            </div>
        </Section>
    );
}
