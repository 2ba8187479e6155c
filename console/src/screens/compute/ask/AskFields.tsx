import {
    Checkbox,
    MultiSelect,
    NumberInput,
    SegmentedControl,
    Select,
    Stack,
    Text,
    Textarea,
    TextInput,
} from '@mantine/core';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';
import styles from '../../../ui/Fields.module.css';
import { optionsOf } from '../../../ui/FilterBar';
import { Section } from '../../../ui/Page';
import type { Draft, Kind } from './draft';

const words = text.compute.form;

interface FieldsProps {
    draft: Draft;
    onDraft(change: Partial<Draft>): void;
    wrong(pointer: string): string | undefined;
}

/** Names of fields of one kind. */
type Of<Type> = { [Name in keyof Draft]: Draft[Name] extends Type ? Name : never }[keyof Draft];

/** Whose it is, and what for. */
export function WhatFields({ draft, onDraft, wrong, rooms }: FieldsProps & { rooms: readonly string[] }) {
    const quotas = useQuotaNames() ?? [];
    return (
        <Section title={words.what}>
            <div className={styles.pairs}>
                <Select
                    label={words.workspace}
                    data={[...rooms]}
                    allowDeselect={false}
                    value={draft.workspace}
                    error={wrong('/workspace')}
                    onChange={workspace => onDraft({ workspace })}
                />
                <Select
                    label={words.supply}
                    description={words.supplyHint}
                    clearable
                    searchable
                    data={quotas}
                    value={draft.supply}
                    error={wrong('/supply')}
                    onChange={supply => onDraft({ supply })}
                />
            </div>
            <Textarea
                mt="sm"
                label={words.reason}
                description={words.reasonHint}
                rows={2}
                value={draft.reason}
                error={wrong('/reason')}
                onChange={event => onDraft({ reason: event.currentTarget.value })}
            />
        </Section>
    );
}

/** How much, and when. */
export function HowFields({ draft, onDraft, wrong }: FieldsProps) {
    const isByUsage = draft.kind === 'byUsage';
    const size = isByUsage ? '/byUsage/maximum' : '/reserved/size';
    const typed = (name: Of<string>, pointer: string, type?: string, hint?: string, placeholder?: string) => (
        <TextInput
            label={words[name as keyof typeof words] as string}
            description={hint}
            placeholder={placeholder}
            type={type}
            value={draft[name]}
            error={wrong(pointer)}
            onChange={event => onDraft({ [name]: event.currentTarget.value })}
        />
    );
    const counted = (
        name: 'gpu' | 'cpu' | 'minimum' | 'step' | 'threshold',
        label: string,
        pointer: string,
    ) => (
        <NumberInput
            label={label}
            min={0}
            decimalScale={3}
            value={draft[name]}
            error={wrong(pointer)}
            onChange={value => onDraft({ [name]: value })}
        />
    );
    return (
        <Section title={words.how}>
            <Stack gap="sm">
                <div>
                    <SegmentedControl
                        aria-label={words.kind}
                        value={draft.kind}
                        onChange={kind => onDraft({ kind: kind as Kind })}
                        data={optionsOf(words.kinds)}
                    />
                    <Text size="sm" c="dimmed" mt={6}>
                        {words.kindsAbout[draft.kind]}
                    </Text>
                </div>
                <div className={styles.four}>
                    {counted('gpu', isByUsage ? words.maximum : words.gpu, `${size}/gpu`)}
                    {isByUsage && counted('step', words.step, '/byUsage/step')}
                    {isByUsage && counted('minimum', words.minimum, '/byUsage/minimum')}
                    {counted('cpu', words.cpu, `${size}/cpu`)}
                    {typed('memory', `${size}/memory`, undefined, undefined, '64Gi')}
                </div>
                {draft.kind === 'once' && (
                    <div className={styles.pairs}>
                        {typed('start', '/reserved/start', 'datetime-local', words.startHint)}
                        {typed('end', '/reserved/end', 'datetime-local')}
                    </div>
                )}
                {draft.kind === 'weekly' && (
                    <>
                        <MultiSelect
                            label={words.days}
                            data={optionsOf(text.compute.days)}
                            value={[...draft.days]}
                            error={wrong('/reserved/weekly/days')}
                            onChange={days => onDraft({ days })}
                        />
                        <div className={styles.row}>
                            {typed('from', '/reserved/weekly/from', 'time')}
                            {typed('to', '/reserved/weekly/to', 'time')}
                            {typed('timeZone', '/reserved/weekly/timeZone')}
                            {typed('firstDay', '/reserved/weekly/firstDay', 'date')}
                            {typed('lastDay', '/reserved/weekly/lastDay', 'date')}
                        </div>
                    </>
                )}
                {isByUsage && (
                    <div className={styles.row}>
                        {counted('threshold', words.threshold, '/byUsage/threshold')}
                        {typed('wait', '/byUsage/wait', undefined, undefined, '10s')}
                        {typed('coolDown', '/byUsage/coolDown', undefined, undefined, '5m')}
                        {typed('until', '/byUsage/until', 'datetime-local', words.untilHint)}
                    </div>
                )}
            </Stack>
        </Section>
    );
}

/** What others may use of it, and how many tasks it takes. */
export function RuleFields({ draft, onDraft, wrong }: FieldsProps) {
    return (
        <Section title={words.rules}>
            <Stack gap="sm">
                <Checkbox
                    label={words.lend}
                    description={words.lendHint}
                    checked={draft.lend}
                    onChange={event => onDraft({ lend: event.currentTarget.checked })}
                />
                <NumberInput
                    label={words.cap}
                    placeholder="100"
                    maw={240}
                    min={1}
                    max={1000}
                    allowDecimal={false}
                    value={draft.cap}
                    error={wrong('/cap')}
                    onChange={cap => onDraft({ cap })}
                />
            </Stack>
        </Section>
    );
}
