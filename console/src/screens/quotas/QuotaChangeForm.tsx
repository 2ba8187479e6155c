import { useState, type ReactNode } from 'react';
import type { Problem } from '../../api/problem';
import { ChangeForm } from '../../ui/ChangeForm';
import { QuotaChangeDialog, type QuotaChange } from './QuotaChangeDialog';

interface Props {
    title: string;
    /** JSON pointers of the fields inside. */
    fields: readonly string[];
    /** What the form says now; `undefined` while something is missing. */
    change(): Omit<QuotaChange, 'title'> | undefined;
    onClose(): void;
    children(problem: Problem | undefined): ReactNode;
}

/** A form for a change of a quota, then its preview; what is refused is shown in the form. */
export function QuotaChangeForm({ title, fields, change, onClose, children }: Props) {
    const [problem, setProblem] = useState<Problem>();
    const [previewed, setPreviewed] = useState<QuotaChange>();
    const preview = () => {
        const wanted = change();
        if (!wanted) return;
        setProblem(undefined);
        setPreviewed({ title, ...wanted });
    };
    return (
        <>
            <ChangeForm
                opened={previewed === undefined}
                title={title}
                problem={problem}
                fields={fields}
                onClose={onClose}
                onSubmit={preview}
            >
                {children(problem)}
            </ChangeForm>
            <QuotaChangeDialog
                change={previewed}
                onClose={() => setPreviewed(undefined)}
                onDone={onClose}
                onProblem={refused => {
                    setProblem(refused);
                    setPreviewed(undefined);
                }}
            />
        </>
    );
}
