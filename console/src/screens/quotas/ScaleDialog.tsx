import { useState } from 'react';
import type { Problem } from '../../api/problem';
import { quotaChanges, type Mode, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { ChangeForm } from './ChangeForm';
import { GuaranteeFields } from './GuaranteeFields';
import { ModeField } from './ModeField';
import { QuotaChangeDialog, type QuotaChange } from './QuotaChangeDialog';

const FIELDS = ['/guarantee'];

/** A new guarantee for a quota. */
export function ScaleDialog({ quota, onClose }: { quota: Quota; onClose(): void }) {
    const { name } = quota.metadata;
    const [guarantee, setGuarantee] = useState(quota.spec.guarantee);
    const [mode, setMode] = useState<Mode>('refuse');
    const [problem, setProblem] = useState<Problem>();
    const [change, setChange] = useState<QuotaChange>();
    const preview = () => {
        setProblem(undefined);
        setChange({
            title: text.quotas.scale.title(name),
            confirm: text.quotas.scale.confirm,
            seen: quota,
            wanted: { ...quota.spec, guarantee },
            send: (version, asked) => quotaChanges.scale(name, version, { guarantee, mode }, asked),
        });
    };
    return (
        <>
            <ChangeForm
                opened={change === undefined}
                title={text.quotas.scale.title(name)}
                problem={problem}
                fields={FIELDS}
                onClose={onClose}
                onSubmit={preview}
            >
                <GuaranteeFields
                    value={guarantee}
                    onChange={setGuarantee}
                    problem={problem}
                    pointer="/guarantee"
                />
                <ModeField value={mode} onChange={setMode} />
            </ChangeForm>
            <QuotaChangeDialog
                change={change}
                onClose={() => setChange(undefined)}
                onDone={onClose}
                onProblem={refused => {
                    setProblem(refused);
                    setChange(undefined);
                }}
            />
        </>
    );
}
