import { useState } from 'react';
import { quotaChanges, type Mode, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { GuaranteeFields } from './GuaranteeFields';
import { ModeField } from './ModeField';
import { QuotaChangeForm } from './QuotaChangeForm';

const FIELDS = ['/guarantee'];

/** A new guarantee for a quota. */
export function ScaleDialog({ quota, onClose }: { quota: Quota; onClose(): void }) {
    const { name } = quota.metadata;
    const [guarantee, setGuarantee] = useState(quota.spec.guarantee);
    const [mode, setMode] = useState<Mode>('refuse');
    return (
        <QuotaChangeForm
            title={text.quotas.scale.title(name)}
            fields={FIELDS}
            change={() => ({
                confirm: text.quotas.scale.confirm,
                seen: quota,
                wanted: { ...quota.spec, guarantee },
                send: (version, asked) => quotaChanges.scale(name, version, { guarantee, mode }, asked),
            })}
            onClose={onClose}
        >
            {problem => (
                <>
                    <GuaranteeFields
                        value={guarantee}
                        onChange={setGuarantee}
                        problem={problem}
                        pointer="/guarantee"
                    />
                    <ModeField value={mode} onChange={setMode} />
                </>
            )}
        </QuotaChangeForm>
    );
}
