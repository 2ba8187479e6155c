import { text } from '../../../texts';
import type { Kind } from './draft';

/** What the form begins with, as it stands in the URL of a link that leads to it. */
export interface AskSearch {
    kind?: Kind;
    gpu?: number;
    step?: number;
}

const amount = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined);

export function askSearch(search: Record<string, unknown>): AskSearch {
    const { kind } = search;
    const isKnown = typeof kind === 'string' && Object.hasOwn(text.compute.form.kinds, kind);
    const said = {
        kind: isKnown ? (kind as Kind) : undefined,
        gpu: amount(search.gpu),
        step: amount(search.step),
    };
    // What is not said must not take the place of what the form begins with.
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
