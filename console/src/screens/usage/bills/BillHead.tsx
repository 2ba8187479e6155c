import { Badge, Tooltip } from '@mantine/core';
import type { Bill } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { AnchorLink } from '../../../ui/links';
import { Section } from '../../../ui/Page';
import { minute } from '../../../ui/time';
import styles from './Bills.module.css';

const words = text.bills;

/** Whose statement it is, of when, and what it comes to. */
export function BillHead({ bill }: { bill: Bill }) {
    const whose = [bill.workspace, bill.user, bill.quota].filter(one => one != null);
    return (
        <Section>
            <div className={styles.head}>
                <Figure label={words.due} hint={words.dueHint} amount={bill.due} currency={bill.currency} />
                <Figure
                    label={words.showback}
                    hint={words.showbackHint}
                    amount={bill.showback}
                    currency={bill.currency}
                />
                <dl className={styles.about}>
                    <dt>{words.of}</dt>
                    <dd>{whose.length === 0 ? words.everything : whose.join(' · ')}</dd>
                    <dt>{words.period}</dt>
                    <dd>
                        {minute(Date.parse(bill.from))} – {minute(Date.parse(bill.to))}{' '}
                        <Tooltip label={bill.final ? words.finalHint : words.openHint}>
                            <Badge color={bill.final ? 'tide' : 'gray'} tabIndex={0}>
                                {bill.final ? words.final : words.open}
                            </Badge>
                        </Tooltip>
                    </dd>
                    <dt>{words.book}</dt>
                    <dd>
                        <AnchorLink to="/usage/prices/$book" params={{ book: bill.priceBook }}>
                            {bill.priceBook}
                        </AnchorLink>
                    </dd>
                </dl>
            </div>
        </Section>
    );
}

function Figure(props: { label: string; hint: string; amount: string; currency: string }) {
    return (
        <div className={styles.figure}>
            <div className={styles.label}>{props.label}</div>
            <div className={styles.amount}>
                {props.amount} <small>{props.currency}</small>
            </div>
            <div className={styles.hint}>{props.hint}</div>
        </div>
    );
}
