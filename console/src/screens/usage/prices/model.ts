import type { PriceBook, PriceBookSpec, Tariff } from '../../../api/queries/metering';
import type { Schema } from '../../../api/client';

export type Version = Schema<'PriceVersion'>;
export const MODES = ['quota', 'shared', 'reserved', 'byUsage'] as const;
export type Mode = (typeof MODES)[number];

export type VersionState = 'past' | 'inForce' | 'coming';

export function stateOf(version: Version, now: number): VersionState {
    if (Date.parse(version.validFrom) > now) return 'coming';
    return version.validTo != null && Date.parse(version.validTo) <= now ? 'past' : 'inForce';
}

/** The version that holds now, if there is one. */
export function inForce(book: PriceBook, now: number): Version | undefined {
    return book.status.versions.find(version => stateOf(version, now) === 'inForce');
}

/** GPU models that have a price in any mode. */
export function modelsOf(prices: Record<string, Tariff>): string[] {
    return [...new Set(Object.values(prices).flatMap(tariff => Object.keys(tariff.gpu ?? {})))].sort();
}

/** Prices of one mode as they are typed: empty is no price. */
export interface TariffDraft {
    gpu: Record<string, string>;
    cpu: string;
    memory: string;
    idleDiscount: string;
}

export interface Draft {
    name: string;
    currency: string;
    decimals: string;
    /** As the browser's field has it: local. */
    validFrom: string;
    models: readonly string[];
    tariffs: Record<Mode, TariffDraft>;
}

const NO_TARIFF: TariffDraft = { gpu: {}, cpu: '', memory: '', idleDiscount: '' };

export function draftOf(
    book: PriceBook | undefined,
    prices: Record<string, Tariff>,
    models: string[],
): Draft {
    const tariffs = Object.fromEntries(
        MODES.map(mode => {
            const { gpu, cpu, memory, idleDiscount } = prices[mode] ?? {};
            const draft = {
                gpu: { ...gpu },
                cpu: cpu ?? '',
                memory: memory ?? '',
                idleDiscount: idleDiscount ?? '',
            };
            return [mode, prices[mode] ? draft : NO_TARIFF];
        }),
    ) as Record<Mode, TariffDraft>;
    return {
        name: book?.metadata.name ?? '',
        currency: book?.spec.currency ?? 'EUR',
        decimals: book?.spec.decimals == null ? '' : String(book.spec.decimals),
        validFrom: '',
        models: [...new Set([...models, ...modelsOf(prices)])].sort(),
        tariffs,
    };
}

const said = (typed: string) => (typed.trim() === '' ? undefined : typed.trim());

/** Only what was said. A mode of which nothing is said has no prices. */
export function specOf(draft: Draft): PriceBookSpec {
    const prices: Record<string, Tariff> = {};
    for (const mode of MODES) {
        const { gpu, cpu, memory, idleDiscount } = draft.tariffs[mode];
        const models = Object.entries(gpu).filter(([, price]) => said(price) !== undefined);
        const tariff: Tariff = {
            gpu:
                models.length > 0
                    ? Object.fromEntries(models.map(([model, price]) => [model, price.trim()]))
                    : undefined,
            cpu: said(cpu),
            memory: said(memory),
            idleDiscount: said(idleDiscount),
        };
        if (Object.values(tariff).some(one => one !== undefined)) prices[mode] = tariff;
    }
    const spec: PriceBookSpec = {
        currency: draft.currency.trim(),
        decimals: said(draft.decimals) === undefined ? undefined : Number(draft.decimals),
        validFrom: draft.validFrom === '' ? undefined : new Date(draft.validFrom).toISOString(),
        prices,
    };
    return JSON.parse(JSON.stringify(spec)) as PriceBookSpec;
}
