import {
    NumberInput,
    Textarea,
    TextInput,
    type NumberInputProps,
    type TextareaProps,
    type TextInputProps,
} from '@mantine/core';
import type { FieldsOf } from './usePreviewedChange';

/** Names of what is of a type in a draft. */
type Of<Draft, Type> = {
    [Name in keyof Draft]-?: Draft[Name] extends Type ? (Type extends Draft[Name] ? Name : never) : never;
}[keyof Draft];

interface Part<Draft, Type> {
    /** The form that it is a part of. */
    of: FieldsOf<Draft>;
    /** Where it stands in the draft. */
    name: Of<Draft, Type>;
    /** Where it stands in what is sent: a JSON pointer. */
    at: string;
}

/** What is read from and written to a part of a draft. */
function bound<Draft, Type>({ of, name, at }: Part<Draft, Type>) {
    return {
        value: of.draft[name] as Type,
        error: of.wrong(at),
        set: (value: Type) => of.onDraft({ [name]: value } as unknown as Partial<Draft>),
    };
}

/** A line of text of a draft. */
export function DraftText<Draft>({
    of,
    name,
    at,
    ...rest
}: Part<Draft, string> & Omit<TextInputProps, 'name'>) {
    const { set, ...field } = bound<Draft, string>({ of, name, at });
    return <TextInput {...field} {...rest} onChange={event => set(event.currentTarget.value)} />;
}

/** Lines of text of a draft, as programs read them. */
export function DraftLines<Draft>({
    of,
    name,
    at,
    ...rest
}: Part<Draft, string> & Omit<TextareaProps, 'name'>) {
    const { set, ...field } = bound<Draft, string>({ of, name, at });
    return (
        <Textarea
            spellCheck={false}
            {...field}
            {...rest}
            onChange={event => set(event.currentTarget.value)}
        />
    );
}

/** A number of a draft; empty until something is typed. */
export function DraftNumber<Draft>({
    of,
    name,
    at,
    ...rest
}: Part<Draft, number | string> & Omit<NumberInputProps, 'name'>) {
    const { set, ...field } = bound<Draft, number | string>({ of, name, at });
    return <NumberInput min={0} allowDecimal={false} {...field} {...rest} onChange={set} />;
}

interface Size {
    gpu: number | string;
    cpu: number | string;
    memory: string;
}

/** GPUs, cores and memory of one thing. */
export function SizeInputs(props: {
    of: FieldsOf<Size>;
    /** Where they stand in what is sent. */
    at: string;
    words: { gpu: string; cpu: string; memory: string; gpuHint?: string };
}) {
    const { of, at, words } = props;
    const parts = { allowDecimal: true, decimalScale: 3 };
    return (
        <>
            <DraftNumber
                of={of}
                name="gpu"
                at={`${at}/gpu`}
                label={words.gpu}
                description={words.gpuHint}
                placeholder="0"
                {...parts}
            />
            <DraftNumber of={of} name="cpu" at={`${at}/cpu`} label={words.cpu} placeholder="1" {...parts} />
            <DraftText of={of} name="memory" at={`${at}/memory`} label={words.memory} placeholder="2Gi" />
        </>
    );
}
