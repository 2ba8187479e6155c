import createClient from 'openapi-fetch';
import type { components, paths } from './generated/schema';
import { Problem } from './problem';

/** What goes over the wire, by the names of the OpenAPI document: `Schema<'Quota'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type DryRun = Schema<'DryRun'>;
export type Event = Schema<'Event'>;

/**
 * The cookie of the session goes along by itself. The header shows the server that a change comes from this page:
 * other sites cannot send it.
 */
export const api = createClient<paths>({
    credentials: 'same-origin',
    headers: { 'X-Tidegate-Csrf': '1' },
});

interface Answered<Data> {
    data?: Data;
    error?: unknown;
    response: Response;
}

/** The answer, or a `Problem` thrown. All calls go through here. */
export async function ask<Data>(asked: Promise<Answered<Data>>): Promise<Data> {
    let answer: Answered<Data>;
    try {
        answer = await asked;
    } catch (error) {
        if (error instanceof DOMException && error.name === 'AbortError') throw error;
        throw Problem.unreachable();
    }
    if (answer.response.ok) return answer.data as Data;
    throw Problem.of(answer.response.status, answer.error);
}

/** A page of a list. */
export interface Page<Item> {
    items: Item[];
    nextPageToken?: string | null;
}

/** All pages of a list, one after the other. */
export async function askAll<Item>(ask: (pageToken?: string) => Promise<Page<Item>>): Promise<Item[]> {
    const items: Item[] = [];
    let pageToken: string | undefined;
    do {
        const page: Page<Item> = await ask(pageToken);
        items.push(...page.items);
        pageToken = page.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    return items;
}
