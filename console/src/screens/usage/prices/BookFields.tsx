import { text } from '../../../texts';
import { DraftText } from '../../../ui/DraftFields';
import styles from '../../../ui/Fields.module.css';
import { Section } from '../../../ui/Page';
import type { FieldsOf } from '../../../ui/usePreviewedChange';
import type { Draft } from './model';

const words = text.bills.prices.form;

export interface FieldsProps extends FieldsOf<Draft> {
    /** It is there already: its name and currency stay. */
    isKnown: boolean;
}

/** Its name, and what it counts in. */
export function BookFields({ isKnown, ...fields }: FieldsProps) {
    return (
        <Section title={words.what}>
            <div className={styles.row}>
                <DraftText
                    of={fields}
                    name="name"
                    at="/metadata/name"
                    label={words.name}
                    description={isKnown ? undefined : words.nameHint}
                    disabled={isKnown}
                />
                <DraftText
                    of={fields}
                    name="currency"
                    at="/spec/currency"
                    label={words.currency}
                    description={isKnown ? undefined : words.currencyHint}
                    disabled={isKnown}
                />
                <DraftText
                    of={fields}
                    name="decimals"
                    at="/spec/decimals"
                    label={words.decimals}
                    placeholder="2"
                    inputMode="numeric"
                    disabled={isKnown}
                />
            </div>
        </Section>
    );
}

/** From when on the prices hold. */
export function ValidFields({ isKnown, ...fields }: FieldsProps) {
    return (
        <Section title={words.valid}>
            <DraftText
                of={fields}
                name="validFrom"
                at="/spec/validFrom"
                type="datetime-local"
                label={words.validFrom}
                description={isKnown ? words.validHint : words.validHintNew}
                maw={280}
            />
        </Section>
    );
}
