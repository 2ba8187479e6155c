import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, useMemo } from 'react';
import { quotas } from '../../../api/queries/quotas';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { FilterBar, FindInput, optionsOf } from '../../../ui/FilterBar';
import type { WorkloadsSearch } from '../routes';
import { quotaNames } from '../../../api/quotaNames';

const words = text.workloads;

interface Props {
    filters: WorkloadsSearch;
    /** Owners that were seen, to choose from. */
    owners: readonly string[];
    onFilters(change: WorkloadsSearch): void;
}

const NOTHING: WorkloadsSearch = {
    find: undefined,
    state: undefined,
    module: undefined,
    quota: undefined,
    owner: undefined,
};

/** What the list is narrowed to. All of it stands in the URL. */
export const Filters = memo(function Filters({ filters, owners, onFilters }: Props) {
    const { user } = useSession();
    const { data: forest } = useQuery(quotas.tree());
    const names = useMemo(() => quotaNames(forest?.roots ?? []), [forest]);
    const people = [...new Set([user, ...owners, ...(filters.owner === undefined ? [] : [filters.owner])])];
    const isNarrowed = Object.values(filters).some(value => value !== undefined);
    const of = words.filters.of;
    return (
        <FilterBar onClear={isNarrowed ? () => onFilters(NOTHING) : undefined}>
            <FindInput
                label={words.filters.text}
                value={filters.find}
                onValue={find => onFilters({ find })}
            />
            <Select
                aria-label={of.state}
                placeholder={words.filters.state}
                clearable
                data={optionsOf(words.states)}
                value={filters.state ?? null}
                onChange={state => onFilters({ state: (state ?? undefined) as WorkloadsSearch['state'] })}
            />
            <Select
                aria-label={of.module}
                placeholder={words.filters.module}
                clearable
                data={optionsOf(words.modules)}
                value={filters.module ?? null}
                onChange={module => onFilters({ module: (module ?? undefined) as WorkloadsSearch['module'] })}
            />
            <Select
                aria-label={of.quota}
                placeholder={words.filters.quota}
                clearable
                searchable
                data={names}
                value={filters.quota ?? null}
                onChange={quota => onFilters({ quota: quota ?? undefined })}
            />
            <Select
                aria-label={of.owner}
                placeholder={words.filters.owner}
                clearable
                searchable
                data={people.map(one => ({
                    value: one,
                    label: one === user ? words.filters.mine(one) : one,
                }))}
                value={filters.owner ?? null}
                onChange={owner => onFilters({ owner: owner ?? undefined })}
            />
        </FilterBar>
    );
});
