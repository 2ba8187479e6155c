import { NumberInput, TextInput } from '@mantine/core';
import type { Problem } from '../../../api/problem';
import { text } from '../../../texts';
import type { Amounts, Figure } from './draft';

const words = text.center.rules.limits;

interface Props {
    amounts: Amounts;
    problem?: Problem;
    /** The JSON pointer of what they belong to. */
    pointer: string;
    set(part: Partial<Amounts>): void;
}

/** GPUs, cores and memory; what is empty is not limited. */
export function AmountFields({ amounts, problem, pointer, set }: Props) {
    return (
        <>
            {(['gpu', 'cpu'] as const).map(kind => (
                <NumberInput
                    key={kind}
                    label={words[kind]}
                    w={90}
                    min={0}
                    decimalScale={3}
                    hideControls
                    value={amounts[kind]}
                    error={problem?.at(`${pointer}/${kind}`)}
                    onChange={value => set({ [kind]: figureOf(value) })}
                />
            ))}
            <TextInput
                label={words.memory}
                placeholder={words.memoryHint}
                w={100}
                value={amounts.memory}
                error={problem?.at(`${pointer}/memory`)}
                onChange={event => set({ memory: event.currentTarget.value })}
            />
        </>
    );
}

export function figureOf(value: number | string): Figure {
    const figure = typeof value === 'number' ? value : Number.parseFloat(value);
    return Number.isNaN(figure) ? '' : figure;
}
