import { useQueries, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Page } from './client';
import { pageTokens, rowsOf, type Rows } from './pages';

/** A list that is read in pages. It is the same object at each rendering. */
export interface PagedList<Row, List extends Page<Row>, Filter, Key extends QueryKey> {
    page(
        filter: Filter,
        pageToken: string | undefined,
    ): Pick<UseQueryOptions<List, Error, List, Key>, 'queryKey' | 'queryFn' | 'gcTime'>;
    idOf(row: Row): string;
}

/** So many rows are read ahead of the last one that is drawn. */
const AHEAD = 60;

/**
 * A list of any length, read page by page as one scrolls. Only pages that are on screen are read again when something
 * happens: the others are, when one comes back to them.
 */
export function usePages<Row, List extends Page<Row>, Filter, Key extends QueryKey>(
    filter: Filter,
    list: PagedList<Row, List, Filter, Key>,
    fits: (row: Row) => boolean = all,
) {
    const about = JSON.stringify(filter);
    const [read, setRead] = useState<{ about: string; pages: List[] }>({ about, pages: [] });
    const [asked, setAsked] = useState({ about, pages: 1 });
    const [view, setView] = useState({ first: 0, last: 0 });
    const lastRow = useRef(0);

    const pages = read.about === about ? read.pages : (NO_PAGES as List[]);
    const tokens = pageTokens(pages, asked.about === about ? asked.pages : 1);
    const results = useQueries({
        queries: tokens.map((token, index) => ({
            ...list.page(filter, token),
            enabled: pages[index] === undefined || (index >= view.first && index <= view.last),
        })),
    });
    // Data is the same object as long as nothing has changed.
    useEffect(() => {
        const next = results.map((result, index) => result.data ?? pages[index]);
        const end = next.indexOf(undefined);
        const known = (end < 0 ? next : next.slice(0, end)) as List[];
        const isSame = known.length === pages.length && known.every((page, index) => page === pages[index]);
        if (!isSame && known.length > 0) setRead({ about, pages: known });
    });

    const found = useMemo(() => rowsOf(pages, list.idOf, fits), [pages, list, fits]);
    // While a new question is on its way, the answer to the last one is shown.
    const shown = useRef<Rows<Row>>(found);
    if (pages.length > 0) shown.current = found;

    const hasMore = pages.length > 0 && pages.at(-1)?.nextPageToken != null;
    const isReading = results.some(result => result.fetchStatus === 'fetching' && result.data === undefined);
    const wantMore = useCallback(() => {
        if (!hasMore || isReading || lastRow.current + AHEAD < found.rows.length) return;
        setAsked({ about, pages: pages.length + 1 });
    }, [about, found, hasMore, isReading, pages.length]);
    useEffect(wantMore, [wantMore]);

    const onRange = useCallback(
        (first: number, last: number) => {
            lastRow.current = last;
            const next = { first: found.pageOf[first] ?? 0, last: found.pageOf[last] ?? 0 };
            setView(now => (now.first === next.first && now.last === next.last ? now : next));
            wantMore();
        },
        [found, wantMore],
    );
    return {
        rows: shown.current.rows,
        isFirst: pages.length === 0,
        hasMore,
        error: results.find(result => result.error)?.error ?? undefined,
        retry: () => results.forEach(result => void result.refetch()),
        onRange,
    };
}

const NO_PAGES: never[] = [];
const all = () => true;
