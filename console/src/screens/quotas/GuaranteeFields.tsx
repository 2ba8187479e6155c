import { Group, NumberInput, TextInput } from '@mantine/core';
import type { Schema } from '../../api/client';
import type { Problem } from '../../api/problem';
import { text } from '../../texts';

export type Guarantee = Schema<'Guarantee'>;

interface Props {
    value: Guarantee;
    onChange(value: Guarantee): void;
    problem?: Problem;
    /** Where the amounts stand in the body: `/guarantee`. */
    pointer: string;
    label?: string;
}

/** Amounts of as many kinds as the value has: GPUs, by model where there are several, cores and memory if counted. */
export function GuaranteeFields({ value, onChange, problem, pointer, label }: Props) {
    const { gpu } = value;
    const models = typeof gpu === 'number' ? undefined : Object.keys(gpu);
    const setModel = (model: string, count: number) =>
        onChange({ ...value, gpu: { ...(typeof gpu === 'number' ? {} : gpu), [model]: count } });
    return (
        <Group gap="sm" align="start">
            {models === undefined ? (
                <NumberInput
                    label={label ?? text.quotas.amount.gpus}
                    w={140}
                    min={0}
                    value={typeof gpu === 'number' ? gpu : 0}
                    error={problem?.at(`${pointer}/gpu`)}
                    onChange={count => onChange({ ...value, gpu: Number(count) })}
                />
            ) : (
                models.map(model => (
                    <NumberInput
                        key={model}
                        label={text.quotas.amount.gpusOf(model)}
                        w={140}
                        min={0}
                        value={typeof gpu === 'number' ? 0 : (gpu[model] ?? 0)}
                        error={problem?.at(`${pointer}/gpu/${model}`)}
                        onChange={count => setModel(model, Number(count))}
                    />
                ))
            )}
            {value.cpu != null && (
                <NumberInput
                    label={text.quotas.amount.cpu}
                    w={140}
                    min={0}
                    value={value.cpu}
                    error={problem?.at(`${pointer}/cpu`)}
                    onChange={cpu => onChange({ ...value, cpu: Number(cpu) })}
                />
            )}
            {value.memory != null && (
                <TextInput
                    label={text.quotas.amount.memory}
                    w={140}
                    value={String(value.memory)}
                    error={problem?.at(`${pointer}/memory`)}
                    onChange={event => onChange({ ...value, memory: event.currentTarget.value })}
                />
            )}
        </Group>
    );
}

/** Nothing, in the kinds that another value has. */
export function noneOf(like: Guarantee): Guarantee {
    const { gpu, cpu, memory } = like;
    return {
        gpu: typeof gpu === 'number' ? 0 : Object.fromEntries(Object.keys(gpu).map(model => [model, 0])),
        ...(cpu == null ? {} : { cpu: 0 }),
        ...(memory == null ? {} : { memory: '0' }),
    };
}
