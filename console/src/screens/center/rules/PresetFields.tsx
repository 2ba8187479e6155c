import { MultiSelect, Text, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { AmountFields } from './AmountFields';
import { MODULES, type Module } from './draft';
import { replaced, without, type FieldsProps } from './fields';
import { Lines } from './Lines';

const words = text.center.rules.presets;
const EMPTY = { name: '', modules: [], gpu: '', cpu: '', memory: '' } as const;

/** Sizes that are offered when somebody submits. */
export function PresetFields({ draft, problem, set }: FieldsProps) {
    const { presets } = draft;
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <Lines
                label={words.title}
                lines={presets}
                add={words.add}
                onAdd={() => set({ presets: [...presets, { ...EMPTY, modules: [] }] })}
                onRemove={index => set({ presets: without(presets, index) })}
            >
                {(line, index) => {
                    const pointer = `/spec/presets/${index}`;
                    const change = (part: Partial<typeof line>) =>
                        set({ presets: replaced(presets, index, part) });
                    return (
                        <>
                            <TextInput
                                label={words.name}
                                w={140}
                                value={line.name}
                                error={problem?.at(`${pointer}/name`)}
                                onChange={event => change({ name: event.currentTarget.value.trim() })}
                            />
                            <AmountFields
                                amounts={line}
                                problem={problem}
                                pointer={`${pointer}/resources`}
                                set={change}
                            />
                            <MultiSelect
                                label={words.modules}
                                placeholder={line.modules.length === 0 ? words.everything : undefined}
                                w={260}
                                data={MODULES.map(module => ({
                                    value: module,
                                    label: text.center.rules.submit.module[module],
                                }))}
                                value={line.modules}
                                error={problem?.at(`${pointer}/modules`)}
                                onChange={modules => change({ modules: modules as Module[] })}
                            />
                        </>
                    );
                }}
            </Lines>
        </Section>
    );
}
