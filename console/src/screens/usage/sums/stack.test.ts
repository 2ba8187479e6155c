import { expect, test } from 'vitest';
import type { UsageReport } from '../../../api/queries/metering';
import { drawn, stackOf } from './stack';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();

function report(items: [hour: number, user: string, resource: string, hours: number][]): UsageReport {
    return {
        from: at(0),
        to: at(3),
        asOf: at(3),
        items: items.map(([hour, user, resource, hours]) => ({
            from: at(hour),
            to: at(hour + 1),
            user,
            resource,
            hours,
            quantity: '0',
        })),
    };
}

test('models of GPUs are added up, other resources are left out, the largest comes first', () => {
    const stack = stackOf(
        report([
            [0, 'berta', 'gpu:A100', 1],
            [0, 'berta', 'gpu:H100', 2],
            [0, 'berta', 'cpu', 50],
            [2, 'carl', 'gpu:H100', 8],
        ]),
        '1h',
        ['user'],
        'gpu',
    );
    expect(stack.times).toHaveLength(3);
    expect(stack.layers.map(({ label, values, total }) => [label, values, total])).toEqual([
        ['carl', [0, 0, 8], 8],
        ['berta', [3, 0, 0], 3],
    ]);
    expect(stack.total).toBe(11);
    expect(
        stackOf(report([[0, 'a', 'gpu:H100', 1]]), '1h', ['user', 'resource'], 'gpu').layers[0]?.label,
    ).toBe('a · gpu:H100');
});

test('of many, those beyond the colors are one layer', () => {
    const many = Array.from({ length: 10 }, (_, index) => [0, `u${index}`, 'cpu', 10 - index] as const);
    const stack = stackOf(report(many.map(one => [...one])), '1h', ['user'], 'cpu');
    const layers = drawn(stack);
    expect(layers).toHaveLength(8);
    expect(layers.at(-1)).toMatchObject({ label: 'all others', total: 3 + 2 + 1, values: [6, 0, 0] });
});
