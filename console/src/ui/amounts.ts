import type { Schema } from '../api/client';

export type Amounts = Schema<'Amounts'>;

/** GPUs of all models together. */
export function gpuOf(amounts: Pick<Amounts, 'gpu'> | null | undefined): number {
    if (!amounts) return 0;
    const { gpu } = amounts;
    return typeof gpu === 'number' ? gpu : Object.values(gpu).reduce((sum, one) => sum + one, 0);
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** A figure without noise: `48`, `0.5`. */
export function figure(value: number): string {
    return number.format(value);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes as people say them: `1.5 TiB`. */
export function bytes(value: number): string {
    let rest = Math.abs(value);
    let unit = 0;
    while (rest >= 1024 && unit < UNITS.length - 1) {
        rest /= 1024;
        unit += 1;
    }
    const digits = rest >= 100 || unit === 0 ? 0 : 1;
    return `${value < 0 ? '-' : ''}${rest.toFixed(digits).replace(/\.0$/, '')} ${UNITS[unit]}`;
}

/** GPUs, by model where there are several: `48`, `H100 48, A100 16`. */
export function gpuText(amounts: Pick<Amounts, 'gpu'>): string {
    const { gpu } = amounts;
    if (typeof gpu === 'number') return figure(gpu);
    const models = Object.entries(gpu);
    return models.length === 0 ? '0' : models.map(([model, count]) => `${model} ${figure(count)}`).join(', ');
}

/** One amount less another, GPUs only. */
export function sumGpu(all: readonly Pick<Amounts, 'gpu'>[]): number {
    return all.reduce((sum, one) => sum + gpuOf(one), 0);
}
