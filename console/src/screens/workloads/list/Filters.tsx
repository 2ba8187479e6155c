import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { memo, useEffect, useMemo, useState } from 'react';
import { quotas } from '../../../api/queries/quotas';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { Icon } from '../../../ui/icons';
import type { WorkloadsSearch } from '../routes';
import { quotaNames } from '../../../api/quotaNames';
import styles from './Workloads.module.css';

const words = text.workloads;

interface Props {
    filters: WorkloadsSearch;
    /** Owners that were seen, to choose from. */
    owners: readonly string[];
    onFilters(change: WorkloadsSearch): void;
}

const options = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));

/** What the list is narrowed to. All of it stands in the URL. */
export const Filters = memo(function Filters({ filters, owners, onFilters }: Props) {
    const { user } = useSession();
    const { data: forest } = useQuery(quotas.tree());
    const names = useMemo(() => quotaNames(forest?.roots ?? []), [forest]);
    const people = [...new Set([user, ...owners, ...(filters.owner === undefined ? [] : [filters.owner])])];
    const isNarrowed = Object.values(filters).some(value => value !== undefined);
    const of = words.filters.of;
    return (
        <div className={styles.filters} role="search" aria-label={words.filters.label}>
            <FindInput value={filters.find ?? ''} onValue={find => onFilters({ find })} />
            <Select
                aria-label={of.state}
                placeholder={words.filters.state}
                clearable
                data={options(words.states)}
                value={filters.state ?? null}
                onChange={state => onFilters({ state: (state ?? undefined) as WorkloadsSearch['state'] })}
            />
            <Select
                aria-label={of.module}
                placeholder={words.filters.module}
                clearable
                data={options(words.modules)}
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
            {isNarrowed && (
                <Button
                    variant="subtle"
                    onClick={() =>
                        onFilters({
                            find: undefined,
                            state: undefined,
                            module: undefined,
                            quota: undefined,
                            owner: undefined,
                        })
                    }
                >
                    {words.filters.clear}
                </Button>
            )}
        </div>
    );
});

/** Typing is not slowed down by what it asks for. */
function FindInput({ value, onValue }: { value: string; onValue(value: string | undefined): void }) {
    const [typed, setTyped] = useState(value);
    const tell = useDebouncedCallback((next: string) => onValue(next === '' ? undefined : next), 200);
    useEffect(() => setTyped(value), [value]);
    return (
        <TextInput
            aria-label={words.filters.text}
            placeholder={words.filters.text}
            leftSection={<Icon name="search" size={16} />}
            value={typed}
            onChange={event => {
                setTyped(event.currentTarget.value);
                tell(event.currentTarget.value.trim());
            }}
        />
    );
}
