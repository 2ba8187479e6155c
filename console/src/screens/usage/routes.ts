import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../routes';
import { WEEKS, type AdviceSearch } from './advice/ways';
import { periodSearch, type PeriodSearch } from './period';
import { filterSearch, recordsSearch, usageSearch, type FilterSearch } from './search';

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const usage = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage',
    validateSearch: usageSearch,
    component: lazyRouteComponent(() => import('./sums/UsageScreen'), 'UsageScreen'),
});

const records = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/records',
    validateSearch: recordsSearch,
    component: lazyRouteComponent(() => import('./records/RecordsScreen'), 'RecordsScreen'),
});

export interface BillsSearch extends FilterSearch {
    /** `2026-01`, in UTC; this month if absent. */
    month?: string;
    /** A period of one's own, instead of a month. */
    from?: string;
    to?: string;
    book?: string;
    /** The line whose records are shown. */
    line?: string;
}

const bills = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/bills',
    validateSearch: (search): BillsSearch => {
        const own = periodSearch({ ...search, period: 'custom' });
        return {
            ...filterSearch(search),
            month: text(search.month)?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0],
            from: own.from,
            to: own.to,
            book: text(search.book),
            line: text(search.line),
        };
    },
    component: lazyRouteComponent(() => import('./bills/BillsScreen'), 'BillsScreen'),
});

const budgets = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/budgets',
    component: lazyRouteComponent(() => import('./budgets/BudgetsScreen'), 'BudgetsScreen'),
});

const advice = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/advice',
    validateSearch: (search): AdviceSearch => ({
        weeks: WEEKS.find(one => one === Number(search.weeks)),
        book: text(search.book),
    }),
    component: lazyRouteComponent(() => import('./advice/AdviceScreen'), 'AdviceScreen'),
});

const prices = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/prices',
    component: lazyRouteComponent(() => import('./prices/PricesScreen'), 'PricesScreen'),
});

const newBook = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/prices/new',
    component: lazyRouteComponent(() => import('./prices/PriceFormScreens'), 'NewBookScreen'),
});

const book = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/prices/$book',
    component: lazyRouteComponent(() => import('./prices/BookScreen'), 'BookScreen'),
});

const editBook = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/prices/$book/edit',
    component: lazyRouteComponent(() => import('./prices/PriceFormScreens'), 'EditBookScreen'),
});

const corrections = createRoute({
    getParentRoute: () => appRoute,
    path: '/usage/corrections',
    validateSearch: (search): PeriodSearch & FilterSearch => ({
        ...periodSearch(search),
        ...filterSearch(search),
    }),
    component: lazyRouteComponent(() => import('./corrections/CorrectionsScreen'), 'CorrectionsScreen'),
});

export const usageRoutes = [
    usage,
    records,
    bills,
    budgets,
    advice,
    prices,
    newBook,
    book,
    editBook,
    corrections,
] as const;
