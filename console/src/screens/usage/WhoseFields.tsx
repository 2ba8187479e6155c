import { Button, Select } from '@mantine/core';
import { useQuotaNames } from '../../api/quotaNames';
import { text } from '../../texts';
import { optionsOf } from '../../ui/FilterBar';
import { TypedInput } from '../../ui/TypedInput';
import { NO_FILTER, type FilterSearch } from './search';

const words = text.usage;

/** Modules that use is of; corrections are told apart, but are no module. */
const MODULES = optionsOf(words.modules).filter(one => one.value !== 'correction');

interface Props {
    search: FilterSearch;
    onSearch(change: FilterSearch): void;
}

/** Whose use, and of which kind. */
export function WhoseFields({ search, onSearch }: Props) {
    const quotas = useQuotaNames() ?? [];
    const isNarrowed = Object.keys(NO_FILTER).some(name => search[name as keyof FilterSearch] !== undefined);
    const choices = [
        ['mode', optionsOf(words.modes)],
        ['class', optionsOf(words.classes)],
        ['module', MODULES],
    ] as const;
    return (
        <>
            <TypedInput label={words.filters.user} value={search.user} onDone={user => onSearch({ user })} />
            <Select
                label={words.filters.quota}
                placeholder={words.filters.any}
                clearable
                searchable
                w={130}
                data={quotas}
                value={search.quota ?? null}
                onChange={quota => onSearch({ quota: quota ?? undefined })}
            />
            {choices.map(([name, data]) => (
                <Select
                    key={name}
                    label={words.filters[name]}
                    placeholder={words.filters.any}
                    clearable
                    w={130}
                    data={data}
                    value={search[name] ?? null}
                    onChange={value => onSearch({ [name]: value ?? undefined })}
                />
            ))}
            {isNarrowed && (
                <Button size="sm" variant="subtle" onClick={() => onSearch(NO_FILTER)}>
                    {text.common.filters.clear}
                </Button>
            )}
        </>
    );
}
