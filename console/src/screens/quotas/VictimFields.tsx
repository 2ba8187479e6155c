import { Checkbox, Group, TextInput } from '@mantine/core';
import type { Problem } from '../../api/problem';
import { text } from '../../texts';
import { MODULES, type Module, type VictimDraft } from './policy';

const words = text.quotas.policy;

interface Props {
    value: VictimDraft;
    disabled: boolean;
    problem?: Problem;
    /** Of `victims` in the body. */
    pointer: string;
    onChange(value: VictimDraft): void;
}

/** Who may be evicted: priorities and modules. */
export function VictimFields({ value, disabled, problem, pointer, onChange }: Props) {
    return (
        <>
            <TextInput
                label={words.victimPriorities}
                description={words.prioritiesHint}
                w={220}
                disabled={disabled}
                value={value.priorities}
                error={problem?.at(`${pointer}/priorities`)}
                onChange={event => onChange({ ...value, priorities: event.currentTarget.value })}
            />
            <Checkbox.Group
                label={words.victimModules}
                value={value.modules}
                error={problem?.at(`${pointer}/modules`)}
                onChange={modules => onChange({ ...value, modules: modules as Module[] })}
            >
                <Group gap="md" mt={6}>
                    {MODULES.map(module => (
                        <Checkbox key={module} value={module} label={module} disabled={disabled} />
                    ))}
                </Group>
            </Checkbox.Group>
        </>
    );
}
