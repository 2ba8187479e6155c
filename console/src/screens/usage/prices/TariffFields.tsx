import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import type { FieldsProps } from './BookFields';
import { MODES, type Mode, type TariffDraft } from './model';
import styles from './Prices.module.css';

const words = text.bills.prices;

/** A price for each mode and resource. */
export function TariffFields({ draft, onDraft, wrong }: FieldsProps) {
    const [model, setModel] = useState('');
    const set = (mode: Mode, change: Partial<TariffDraft>) =>
        onDraft({ tariffs: { ...draft.tariffs, [mode]: { ...draft.tariffs[mode], ...change } } });
    const addModel = () => {
        const name = model.trim();
        if (name === '' || draft.models.includes(name)) return;
        onDraft({ models: [...draft.models, name] });
        setModel('');
    };
    return (
        <Section title={words.form.prices}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.form.pricesHint}
            </Text>
            {MODES.map(mode => {
                const tariff = draft.tariffs[mode];
                const pointer = `/spec/prices/${mode}`;
                const label = text.usage.modes[mode] ?? mode;
                const field = (name: 'cpu' | 'memory' | 'idleDiscount', title: string) => (
                    <TextInput
                        label={title}
                        inputMode="decimal"
                        value={tariff[name]}
                        error={wrong(`${pointer}/${name}`)}
                        onChange={event => set(mode, { [name]: event.currentTarget.value })}
                        rightSection={name === 'idleDiscount' ? '%' : undefined}
                    />
                );
                return (
                    <fieldset key={mode} className={styles.mode}>
                        <legend>{label}</legend>
                        <div className={styles.prices}>
                            {draft.models.map(one => (
                                <TextInput
                                    key={one}
                                    label={words.gpu(one)}
                                    inputMode="decimal"
                                    value={tariff.gpu[one] ?? ''}
                                    error={wrong(`${pointer}/gpu/${one}`)}
                                    onChange={event =>
                                        set(mode, {
                                            gpu: { ...tariff.gpu, [one]: event.currentTarget.value },
                                        })
                                    }
                                />
                            ))}
                            {field('cpu', words.cpu)}
                            {field('memory', words.memory)}
                            {field('idleDiscount', words.idleDiscount)}
                        </div>
                    </fieldset>
                );
            })}
            <div className={styles.add}>
                <TextInput
                    label={words.form.model}
                    placeholder="H100"
                    w={160}
                    value={model}
                    onChange={event => setModel(event.currentTarget.value)}
                    onKeyDown={event => {
                        if (event.key !== 'Enter') return;
                        // Enter would send the form.
                        event.preventDefault();
                        addModel();
                    }}
                />
                <Button size="sm" variant="default" disabled={model.trim() === ''} onClick={addModel}>
                    {words.form.addModel}
                </Button>
            </div>
        </Section>
    );
}
