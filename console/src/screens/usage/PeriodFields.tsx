import { Select, TextInput } from '@mantine/core';
import { text } from '../../texts';
import { PERIODS, rangeOf, stepsFor, type Period, type PeriodSearch } from './period';

const words = text.usage.period;

interface Props {
    search: PeriodSearch;
    /** There is a chart whose steps can be chosen. */
    hasSteps?: boolean;
    onSearch(change: PeriodSearch): void;
}

/** From when to when. */
export function PeriodFields({ search, hasSteps = false, onSearch }: Props) {
    const { period = 'day' } = search;
    const now = Date.now();
    return (
        <>
            <Select
                label={words.label}
                w={140}
                allowDeselect={false}
                data={PERIODS.map(value => ({ value, label: words.names[value] }))}
                value={period}
                onChange={value =>
                    onSearch({
                        period: value === 'day' ? undefined : (value as Period),
                        from: undefined,
                        to: undefined,
                        step: undefined,
                    })
                }
            />
            {period === 'custom' &&
                (['from', 'to'] as const).map(end => (
                    <TextInput
                        key={end}
                        type="datetime-local"
                        w={188}
                        label={words[end]}
                        value={search[end] ?? ''}
                        onChange={event => onSearch({ [end]: event.currentTarget.value || undefined })}
                    />
                ))}
            {hasSteps && (
                <Select
                    label={words.step}
                    w={110}
                    allowDeselect={false}
                    data={stepsFor(search, now).map(value => ({ value, label: words.steps[value] ?? value }))}
                    value={rangeOf(search, now).step}
                    onChange={value => onSearch({ step: value ?? undefined })}
                />
            )}
        </>
    );
}
