/** A field of a form, as the schema of a template's inputs describes it. */
export type Field = {
    label: string;
    about?: string;
    /** What the schema suggests. */
    fallback?: unknown;
} & (
    | { kind: 'text'; least?: number; most?: number }
    | { kind: 'number'; isWhole: boolean; least?: number; most?: number }
    | { kind: 'choice'; options: readonly unknown[] }
    | { kind: 'flag' }
    | { kind: 'list'; options?: readonly string[]; isNumeric: boolean }
    | { kind: 'object'; properties: readonly Property[] }
    /** What no field can say is typed as JSON. */
    | { kind: 'json' }
);

export interface Property {
    name: string;
    isRequired: boolean;
    field: Field;
}

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
/** As deep as a form can be read. */
const DEEPEST = 4;

/** The fields of inputs; `undefined`: they are typed as JSON. */
export function formOf(schema: unknown): readonly Property[] | undefined {
    if (!isObject(schema)) return undefined;
    const field = fieldOf(schema, '', schema, 0);
    return field.kind === 'object' ? field.properties : undefined;
}

/** `maxLength` becomes `Max length`. */
function labelOf(name: string): string {
    const words = name
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .replaceAll(/[_-]+/g, ' ')
        .trim()
        .toLowerCase();
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Follows `$ref`, as often as there are parts to be followed to. */
function resolved(schema: unknown, root: Schema): unknown {
    let found = schema;
    for (let hops = 0; hops < 16 && isObject(found) && typeof found.$ref === 'string'; hops += 1) {
        const { $ref, ...beside } = found;
        const name = /^#\/\$defs\/([^/]+)$/.exec(String($ref))?.[1];
        const target = name !== undefined && isObject(root.$defs) ? root.$defs[name] : undefined;
        found = isObject(target) ? { ...target, ...beside } : target;
    }
    return found;
}

/** Words that no single field can stand for. */
const MANIFOLD = ['allOf', 'anyOf', 'oneOf', 'not'];

function fieldOf(given: unknown, name: string, root: Schema, depth: number): Field {
    const schema = resolved(given, root);
    if (!isObject(schema)) return { kind: 'json', label: labelOf(name) };
    const shared = {
        label: text(schema.title) ?? labelOf(name),
        about: text(schema.description),
        fallback: schema.const ?? schema.default,
    };
    if (schema.const !== undefined) return { ...shared, kind: 'choice', options: [schema.const] };
    if (MANIFOLD.some(word => word in schema)) return { ...shared, kind: 'json' };
    if (Array.isArray(schema.enum)) return { ...shared, kind: 'choice', options: schema.enum };
    switch (typeOf(schema.type)) {
        case 'string':
            return {
                ...shared,
                kind: 'text',
                least: number(schema.minLength),
                most: number(schema.maxLength),
            };
        case 'number':
        case 'integer':
            return {
                ...shared,
                kind: 'number',
                isWhole: typeOf(schema.type) === 'integer',
                least: number(schema.minimum),
                most: number(schema.maximum),
            };
        case 'boolean':
            return { ...shared, kind: 'flag' };
        case 'array':
            return listOf(fieldOf(schema.items ?? true, name, root, depth + 1), shared);
        case 'object':
            if (!isObject(schema.properties) || depth >= DEEPEST) return { ...shared, kind: 'json' };
            return { ...shared, kind: 'object', properties: propertiesOf(schema, root, depth) };
        default:
            return { ...shared, kind: 'json' };
    }
}

/** `["string", "null"]` is a text that may be left out. */
function typeOf(type: unknown): string | undefined {
    const types = [type].flat().filter(one => one !== 'null');
    return types.length === 1 ? text(types[0]) : undefined;
}

function listOf(item: Field, shared: Pick<Field, 'label' | 'about' | 'fallback'>): Field {
    if (item.kind === 'text') return { ...shared, kind: 'list', isNumeric: false };
    if (item.kind === 'number') return { ...shared, kind: 'list', isNumeric: true };
    if (item.kind === 'choice' && item.options.every(one => typeof one === 'string'))
        return { ...shared, kind: 'list', isNumeric: false, options: item.options };
    return { ...shared, kind: 'json' };
}

function propertiesOf(schema: Schema, root: Schema, depth: number): Property[] {
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(schema.properties as Schema).map(([name, inner]) => ({
        name,
        isRequired: required.includes(name),
        field: fieldOf(inner, name, root, depth + 1),
    }));
}

/** What the form begins with: what the schema suggests, and what goes without saying. */
export function begin(properties: readonly Property[]): Record<string, unknown> {
    const all: Record<string, unknown> = {};
    for (const { name, isRequired, field } of properties) {
        if (field.fallback !== undefined) all[name] = field.fallback;
        else if (field.kind === 'object') {
            const inner = begin(field.properties);
            if (isRequired || Object.keys(inner).length > 0) all[name] = inner;
        } else if (isRequired && field.kind === 'flag') all[name] = false;
        else if (isRequired && field.kind === 'list') all[name] = [];
    }
    return all;
}

/** An object with another value of one property; `undefined` takes it out. */
export function withValue(
    before: Record<string, unknown>,
    name: string,
    value: unknown,
): Record<string, unknown> {
    const { [name]: _, ...others } = before;
    return value === undefined ? others : { ...before, [name]: value };
}

/** A JSON pointer to a property below another. */
export function pointerTo(above: string, name: string): string {
    return `${above}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
