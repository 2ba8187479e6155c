import { Checkbox, MultiSelect, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { JsonField } from '../../../ui/JsonField';
import { InputFields } from './InputFields';
import type { Property } from './schema';

const words = text.tasks.form;
/** A text that may be longer than this gets room for several lines. */
const LONG = 120;

interface Props {
    property: Property;
    value: unknown;
    pointer: string;
    wrong(pointer: string): string | undefined;
    /** `undefined`: it is not given. */
    onValue(value: unknown): void;
}

/** One input, by the kind of its field. */
export function InputField({ property, value, pointer, wrong, onValue }: Props) {
    const { field, isRequired } = property;
    const shared = {
        label: field.label,
        withAsterisk: isRequired,
        description: hint(property),
        error: wrong(pointer),
    };
    switch (field.kind) {
        case 'text': {
            const typed = typeof value === 'string' ? value : '';
            const onChange = (next: string) => onValue(next === '' && !isRequired ? undefined : next);
            return (field.most ?? Infinity) > LONG ? (
                <Textarea
                    {...shared}
                    rows={typed.length > LONG || typed.includes('\n') ? 5 : 2}
                    value={typed}
                    onChange={event => onChange(event.currentTarget.value)}
                />
            ) : (
                <TextInput
                    {...shared}
                    value={typed}
                    onChange={event => onChange(event.currentTarget.value)}
                />
            );
        }
        case 'number':
            return (
                <NumberInput
                    {...shared}
                    allowDecimal={!field.isWhole}
                    value={typeof value === 'number' ? value : ''}
                    onChange={next => onValue(typeof next === 'number' ? next : undefined)}
                />
            );
        case 'choice': {
            const labels = field.options.map(one => (typeof one === 'string' ? one : JSON.stringify(one)));
            const at = field.options.findIndex(one => JSON.stringify(one) === JSON.stringify(value));
            return (
                <Select
                    {...shared}
                    placeholder={words.unset}
                    clearable={!isRequired}
                    allowDeselect={!isRequired}
                    searchable={labels.length > 8}
                    data={labels.map((label, index) => ({ value: String(index), label }))}
                    value={at < 0 ? null : String(at)}
                    onChange={next => onValue(next === null ? undefined : field.options[Number(next)])}
                />
            );
        }
        case 'flag':
            return (
                <Checkbox
                    label={field.label}
                    description={field.about}
                    error={wrong(pointer)}
                    checked={value === true}
                    onChange={event => onValue(event.currentTarget.checked)}
                />
            );
        case 'list': {
            const items = Array.isArray(value) ? value.map(String) : [];
            const onChange = (next: string[]) => {
                const all = field.isNumeric ? next.map(Number).filter(one => !Number.isNaN(one)) : next;
                onValue(all.length === 0 && !isRequired ? undefined : all);
            };
            return field.options ? (
                <MultiSelect {...shared} data={[...field.options]} value={items} onChange={onChange} />
            ) : (
                <TagsInput {...shared} value={items} onChange={onChange} allowDuplicates />
            );
        }
        case 'object':
            return (
                <InputFields
                    legend={field.label}
                    about={field.about}
                    properties={field.properties}
                    values={value}
                    pointer={pointer}
                    wrong={wrong}
                    onValues={next =>
                        onValue(Object.keys(next).length === 0 && !isRequired ? undefined : next)
                    }
                />
            );
        case 'json':
            return <JsonField {...shared} value={value} onValue={onValue} placeholder={words.anyJson} />;
    }
}

/** What the schema says of it, and how much it may be. */
function hint({ field }: Property): string | undefined {
    const parts = [field.about];
    if (field.kind === 'text' && (field.least ?? field.most) !== undefined)
        parts.push(words.length(field.least, field.most));
    if (field.kind === 'number' && (field.least ?? field.most) !== undefined) {
        const shown = (value: number | undefined) => (value === undefined ? undefined : figure(value));
        parts.push(words.range(shown(field.least), shown(field.most)));
    }
    if (field.kind === 'list' && !field.options) parts.push(words.items);
    const said = parts.filter(part => part !== undefined);
    return said.length > 0 ? said.join(' · ') : undefined;
}
