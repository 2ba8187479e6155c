import { MultiSelect, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { AmountFields } from './AmountFields';
import { MODULES, type Module } from './draft';
import type { FieldsProps } from './fields';
import { Lines } from './Lines';

const words = text.center.rules.presets;
const EMPTY = { name: '', modules: [], gpu: '', cpu: '', memory: '' } as const;

/** Sizes that are offered when somebody submits. */
export function PresetFields({ draft, problem, set }: FieldsProps) {
    return (
        <Lines
            words={words}
            lines={draft.presets}
            fresh={{ ...EMPTY, modules: [] }}
            onChange={presets => set({ presets })}
        >
            {(line, index, change) => {
                const pointer = `/spec/presets/${index}`;
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
    );
}
