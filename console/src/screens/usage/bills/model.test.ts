import { expect, test } from 'vitest';
import type { BillLine } from '../../../api/queries/metering';
import { billRange, csvOf, lineKey, monthName, sumOf } from './model';

const now = Date.parse('2026-03-15T10:25:40Z');

test('a statement is of a month in UTC, or of a period of its own', () => {
    expect(billRange({}, now)).toEqual({
        from: '2026-03-01T00:00:00.000Z',
        to: '2026-04-01T00:00:00.000Z',
    });
    expect(billRange({ month: '2025-12' }, now)).toEqual({
        from: '2025-12-01T00:00:00.000Z',
        to: '2026-01-01T00:00:00.000Z',
    });
    expect(billRange({ from: '2026-03-02T00:00:00Z' }, now)).toEqual({
        from: '2026-03-02T00:00:00.000Z',
        to: undefined,
    });
    expect(monthName(now, 0)).toBe('2026-03');
    expect(monthName(now, 3)).toBe('2025-12');
});

const line = {
    workspace: 'a, "b"',
    quota: 'q',
    mode: 'quota',
    resource: 'gpu:H100',
    class: 'firm',
    from: 'f',
    to: 't',
    hours: 3,
    quantity: '30',
    price: '2.5',
    cost: '7.50',
    records: [
        { quantity: '10', hours: 1 },
        { quantity: '20', hours: 2 },
    ],
} as unknown as BillLine;

test('records of a line are added up without rounding', () => {
    expect(sumOf(line)).toEqual({ hours: 3, isExact: true, count: 2 });
    expect(sumOf({ ...line, quantity: '31' }).isExact).toBe(false);
});

test('lines become cells that a spreadsheet reads', () => {
    const [head, row] = csvOf({ lines: [line], currency: 'EUR' }).split('\r\n');
    expect(head).toMatch(/^workspace,quota,mode,/);
    expect(row).toBe('"a, ""b""",q,quota,gpu:H100,firm,f,t,3,30,2.5,,7.50,EUR,,');
    const capacity = { ...line, config: 'rc-0' };
    expect(csvOf({ lines: [capacity], currency: 'EUR' })).toMatch(/,rc-0\r\n$/);
    expect(lineKey(capacity)).not.toBe(lineKey(line));
});
