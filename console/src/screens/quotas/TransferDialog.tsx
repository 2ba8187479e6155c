import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quotaChanges, quotas, type Mode, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { every } from '../../ui/tree';
import { GuaranteeFields, noneOf } from './GuaranteeFields';
import { ModeField } from './ModeField';
import { quotaRows } from './model';
import { QuotaChangeForm } from './QuotaChangeForm';

const FIELDS = ['/amount', '/to'];

/** Gives a part of a guarantee to a sibling, in one step. */
export function TransferDialog({ quota, onClose }: { quota: Quota; onClose(): void }) {
    const { name } = quota.metadata;
    const tree = useQuery(quotas.tree());
    const siblings = every(quotaRows(tree.data?.roots ?? []))
        .map(node => node.row.quota)
        .filter(
            one =>
                one.metadata.name !== name &&
                one.spec.parent != null &&
                one.spec.parent === quota.spec.parent,
        )
        .map(one => one.metadata.name);
    const [to, setTo] = useState<string | null>(null);
    const [amount, setAmount] = useState(() => noneOf(quota.spec.guarantee));
    const [mode, setMode] = useState<Mode>('refuse');
    return (
        <QuotaChangeForm
            title={text.quotas.transfer.title(name)}
            fields={FIELDS}
            change={() =>
                to === null
                    ? undefined
                    : {
                          confirm: text.quotas.transfer.confirm,
                          seen: quota,
                          wanted: quota.spec,
                          send: (version, asked) =>
                              quotaChanges.transfer(name, version, { to, amount, mode }, asked),
                      }
            }
            onClose={onClose}
        >
            {problem => (
                <>
                    <Select
                        label={text.quotas.transfer.to}
                        description={text.quotas.transfer.toHint}
                        required
                        data={siblings}
                        value={to}
                        error={problem?.at('/to')}
                        onChange={setTo}
                    />
                    <GuaranteeFields
                        value={amount}
                        onChange={setAmount}
                        problem={problem}
                        pointer="/amount"
                    />
                    <ModeField value={mode} onChange={setMode} />
                </>
            )}
        </QuotaChangeForm>
    );
}
