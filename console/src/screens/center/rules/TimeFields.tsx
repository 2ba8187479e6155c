import { MultiSelect, NumberInput, Switch, Text, TextInput, Title } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { figureOf } from './AmountFields';
import type { FieldsProps } from './fields';
import styles from './Rules.module.css';

const words = text.center.rules.time;

/** What becomes of training and of notebooks by time. */
export function TimeFields({ draft, problem, members, set }: FieldsProps) {
    const { training, notebook, idle } = draft;
    const time = (
        label: string,
        hint: string | undefined,
        value: string,
        pointer: string,
        onChange: (value: string) => void,
    ) => (
        <TextInput
            label={label}
            description={hint}
            placeholder={words.never}
            maw={260}
            value={value}
            error={problem?.at(pointer)}
            onChange={event => onChange(event.currentTarget.value)}
        />
    );
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.promised}
            </Text>
            <div className={styles.halves}>
                <div className={styles.half}>
                    <Title order={3} size="h5">
                        {words.training}
                    </Title>
                    {time(
                        words.maxRun,
                        words.hint,
                        training.maxRunTime,
                        '/spec/training/maxRunTime',
                        maxRunTime => set({ training: { ...training, maxRunTime } }),
                    )}
                    {time(
                        words.trainingWait,
                        words.trainingWaitHint,
                        training.maxWait,
                        '/spec/training/maxWait',
                        maxWait => set({ training: { ...training, maxWait } }),
                    )}
                </div>
                <div className={styles.half}>
                    <Title order={3} size="h5">
                        {words.notebook}
                    </Title>
                    {time(
                        words.maxRun,
                        words.hint,
                        notebook.maxRunTime,
                        '/spec/notebook/maxRunTime',
                        maxRunTime => set({ notebook: { ...notebook, maxRunTime } }),
                    )}
                    {time(
                        words.notebookWait,
                        words.notebookWaitHint,
                        notebook.maxWait,
                        '/spec/notebook/maxWait',
                        maxWait => set({ notebook: { ...notebook, maxWait } }),
                    )}
                    <Switch
                        label={words.idle}
                        description={words.idleHint}
                        checked={idle.isOn}
                        onChange={event => set({ idle: { ...idle, isOn: event.currentTarget.checked } })}
                    />
                    {idle.isOn && (
                        <div className={styles.line} data-first>
                            <TextInput
                                label={words.after}
                                w={100}
                                value={idle.after}
                                error={problem?.at('/spec/notebook/idle/after')}
                                onChange={event =>
                                    set({ idle: { ...idle, after: event.currentTarget.value } })
                                }
                            />
                            {(['cpu', 'gpu'] as const).map(kind => (
                                <NumberInput
                                    key={kind}
                                    label={words[kind]}
                                    w={130}
                                    min={0}
                                    max={100}
                                    value={idle[`${kind}Percent`]}
                                    error={problem?.at(`/spec/notebook/idle/${kind}Percent`)}
                                    onChange={value =>
                                        set({ idle: { ...idle, [`${kind}Percent`]: figureOf(value) } })
                                    }
                                />
                            ))}
                        </div>
                    )}
                    <MultiSelect
                        label={words.exempt}
                        description={words.exemptHint}
                        searchable
                        data={[...new Set([...members, ...notebook.exempt])]}
                        value={notebook.exempt}
                        error={problem?.at('/spec/notebook/exempt')}
                        onChange={exempt => set({ notebook: { ...notebook, exempt } })}
                    />
                </div>
            </div>
        </Section>
    );
}
