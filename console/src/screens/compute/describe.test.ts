import { expect, test } from 'vitest';
import { agreement, periodText, sizeText } from './describe';

test('what is asked for is said in a line', () => {
    expect(sizeText({ gpu: 1, cpu: 4, memory: '16Gi' })).toBe('1 GPU, 4 cores, 16Gi');
    const weekly = {
        days: ['mon', 'fri'],
        from: '09:00',
        to: '18:00',
        timeZone: 'Europe/Berlin',
        firstDay: '2026-03-02',
        lastDay: '2026-06-26',
    };
    expect(agreement({ reserved: { size: { gpu: 8 }, weekly } })).toBe(
        '8 GPUs, Mon, Fri 09:00–18:00 (Europe/Berlin)',
    );
    expect(agreement({ byUsage: { step: { gpu: 2 }, maximum: { gpu: 16 } } })).toBe('0 to 16 GPUs, by 2');
    expect(agreement({ reserved: { size: { gpu: 8 }, end: '2026-03-01T18:00:00Z' } })).toMatch(
        /^8 GPUs, now – 1 Mar 2026/,
    );
});

test('a period that goes on says its end, one to come both', () => {
    const start = '2026-03-01T08:00:00Z';
    expect(periodText({ state: 'active', period: { start } })).toBe('until it is released');
    expect(periodText({ state: 'scheduled', period: { start } })).toMatch(/^from 1 Mar 2026.*released$/);
    expect(periodText({ state: 'ended' })).toBe('');
});
