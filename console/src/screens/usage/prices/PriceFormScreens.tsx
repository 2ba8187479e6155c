import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../../api/problem';
import { prices } from '../../../api/queries/metering';
import { pools } from '../../../api/queries/supply';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { draftOf } from './model';
import { PriceForm } from './PriceForm';

const words = text.bills.prices;

/** Models of GPUs that there are; `undefined` while they are read. */
function useModels(): string[] | undefined {
    const { data } = useQuery(pools.list());
    return useMemo(
        () => data && [...new Set(data.flatMap(pool => pool.status.gpus.map(one => one.model)))],
        [data],
    );
}

/** A new price book. */
export function NewBookScreen() {
    const session = useSession();
    const models = useModels();
    return (
        <Page
            title={words.form.create}
            about={words.about}
            actions={
                <ButtonLink to="/usage/prices" variant="default">
                    {words.back}
                </ButtonLink>
            }
        >
            {!session.may('price:update') ? (
                <EmptyState title={words.form.create}>{words.denied}</EmptyState>
            ) : models === undefined ? (
                <Skeleton height={400} />
            ) : (
                <PriceForm begin={draftOf(undefined, {}, models)} />
            )}
        </Page>
    );
}

/** New prices of a book, begun with the latest. */
export function EditBookScreen() {
    const { book: name } = useParams({ from: '/app/usage/prices/$book/edit' });
    const session = useSession();
    const models = useModels();
    // What is typed is not overwritten by what is read again.
    const { data, error } = useQuery({ ...prices.one(name), refetchOnWindowFocus: false });
    return (
        <Page
            title={words.form.change(name)}
            about={words.about}
            actions={
                <ButtonLink to="/usage/prices/$book" params={{ book: name }} variant="default">
                    {text.common.back}
                </ButtonLink>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} />
            {!session.may('price:update') ? (
                <EmptyState title={words.form.change(name)}>{words.denied}</EmptyState>
            ) : data === undefined || models === undefined ? (
                !error && <Skeleton height={400} />
            ) : (
                <PriceForm
                    before={data}
                    begin={draftOf(data, data.status.versions.at(-1)?.prices ?? {}, models)}
                />
            )}
        </Page>
    );
}
