import { Select, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Problem } from '../../api/problem';
import { text } from '../../texts';
import { DataTable } from '../../ui/DataTable';
import { FilterBar, optionsOf } from '../../ui/FilterBar';
import { Page } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import type { Column } from '../../ui/table';
import { AskButton } from './ask/AskButton';
import { ComputeNav } from './ComputeNav';

interface Props<Row> {
    label: string;
    /** States that it can be narrowed to; the chosen one stands in the URL. */
    states: Record<string, string>;
    state: string | undefined;
    list: Pick<UseQueryResult<Row[]>, 'data' | 'error' | 'refetch'>;
    columns: readonly Column<Row>[];
    empty: ReactNode;
    /** Dialogs about what is listed. */
    children?: ReactNode;
}

/** A screen of dedicated compute: what there is of one kind, narrowed by its state. */
export function ComputeList<Row extends { id: string }>(props: Props<Row>) {
    const { label, states, state, list, columns, empty, children } = props;
    const { data, error, refetch } = list;
    const navigate = useNavigate();
    return (
        <Page title={text.compute.title} about={text.compute.about} actions={<AskButton />}>
            <ComputeNav />
            <FilterBar>
                <Select
                    aria-label={text.compute.state}
                    placeholder={text.compute.anyState}
                    clearable
                    data={optionsOf(states)}
                    value={state ?? null}
                    onChange={next =>
                        void navigate({
                            to: '.',
                            search: before => ({
                                ...before,
                                state: (next ?? undefined) as typeof before.state,
                            }),
                            replace: true,
                        })
                    }
                />
            </FilterBar>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <DataTable label={label} columns={columns} rows={data} rowKey={row => row.id} empty={empty} />
            )}
            {children}
        </Page>
    );
}
