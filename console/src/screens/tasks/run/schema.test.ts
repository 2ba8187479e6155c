import { expect, test } from 'vitest';
import { begin, formOf, pointerTo, withValue } from './schema';

const schema = {
    type: 'object',
    required: ['text', 'size', 'dry'],
    properties: {
        text: { type: 'string', maxLength: 200, description: 'What to measure' },
        size: { $ref: '#/$defs/size' },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        dry: { type: 'boolean' },
        format: { enum: ['png', 'webp'], default: 'webp' },
        seedNumber: { type: ['integer', 'null'], minimum: 0 },
        either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
    $defs: {
        size: {
            type: 'object',
            title: 'Size of the picture',
            properties: { width: { type: 'integer', default: 640 }, height: { type: 'number' } },
        },
    },
};

test('a schema becomes fields, and what no field can say is JSON', () => {
    const kinds = formOf(schema)?.map(({ name, isRequired, field }) => [name, field.kind, isRequired]);
    expect(kinds).toEqual([
        ['text', 'text', true],
        ['size', 'object', true],
        ['tags', 'list', false],
        ['dry', 'flag', true],
        ['format', 'choice', false],
        ['seedNumber', 'number', false],
        ['either', 'json', false],
    ]);
    const field = (name: string) => formOf(schema)?.find(one => one.name === name)?.field;
    expect(field('text')).toMatchObject({ most: 200, about: 'What to measure', label: 'Text' });
    expect(field('size')).toMatchObject({ label: 'Size of the picture' });
    expect(field('seedNumber')).toMatchObject({ label: 'Seed number', isWhole: true, least: 0 });
});

test('whatever is no object of fields is typed as JSON', () => {
    expect(formOf(null)).toBeUndefined();
    expect(formOf({})).toBeUndefined();
    expect(formOf({ type: 'array' })).toBeUndefined();
    expect(formOf({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toBeUndefined();
});

test('the form begins with what the schema suggests', () => {
    expect(begin(formOf(schema) ?? [])).toEqual({ size: { width: 640 }, dry: false, format: 'webp' });
});

test('what is emptied is not sent', () => {
    expect(withValue({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withValue({ b: 2 }, 'a', 0)).toEqual({ b: 2, a: 0 });
    expect(pointerTo('/inputs', 'a/b~c')).toBe('/inputs/a~1b~0c');
});
