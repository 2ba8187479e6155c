import { TextInput } from '@mantine/core';
import { text } from '../../../texts';
import styles from '../../../ui/Fields.module.css';
import { Section } from '../../../ui/Page';
import type { Draft } from './model';

const words = text.bills.prices.form;
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export interface FieldsProps {
    draft: Draft;
    onDraft(change: Partial<Draft>): void;
    wrong(pointer: string): string | undefined;
    /** It is there already: its name and currency stay. */
    isKnown: boolean;
}

/** Its name, and what it counts in. */
export function BookFields({ draft, onDraft, wrong, isKnown }: FieldsProps) {
    return (
        <Section title={words.what}>
            <div className={styles.row}>
                <TextInput
                    label={words.name}
                    description={isKnown ? undefined : words.nameHint}
                    inputWrapperOrder={ORDER}
                    disabled={isKnown}
                    value={draft.name}
                    error={wrong('/metadata/name')}
                    onChange={event => onDraft({ name: event.currentTarget.value })}
                />
                <TextInput
                    label={words.currency}
                    description={isKnown ? undefined : words.currencyHint}
                    inputWrapperOrder={ORDER}
                    disabled={isKnown}
                    value={draft.currency}
                    error={wrong('/spec/currency')}
                    onChange={event => onDraft({ currency: event.currentTarget.value })}
                />
                <TextInput
                    label={words.decimals}
                    placeholder="2"
                    inputMode="numeric"
                    disabled={isKnown}
                    value={draft.decimals}
                    error={wrong('/spec/decimals')}
                    onChange={event => onDraft({ decimals: event.currentTarget.value })}
                />
            </div>
        </Section>
    );
}

/** From when on the prices hold. */
export function ValidFields({ draft, onDraft, wrong, isKnown }: FieldsProps) {
    return (
        <Section title={words.valid}>
            <TextInput
                type="datetime-local"
                label={words.validFrom}
                description={isKnown ? words.validHint : words.validHintNew}
                inputWrapperOrder={ORDER}
                maw={280}
                value={draft.validFrom}
                error={wrong('/spec/validFrom')}
                onChange={event => onDraft({ validFrom: event.currentTarget.value })}
            />
        </Section>
    );
}
