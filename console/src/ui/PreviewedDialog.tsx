import { useState, type ReactNode } from 'react';
import type { Problem } from '../api/problem';
import { ChangeForm } from './ChangeForm';
import { PreviewDialog, type PlannedChange } from './PreviewDialog';

interface Props {
    title: string;
    /** JSON pointers of the fields inside. */
    fields: readonly string[];
    /** What the form says, at the time when it is sent. */
    plan(): Omit<PlannedChange, 'title'>;
    onClose(): void;
    /** Shown when somebody else was faster (412); `again` asks once more. */
    conflict?(again: () => void): ReactNode;
    /** `forget`: what was wrong is not so any more. */
    children(problem: Problem | undefined, forget: () => void): ReactNode;
}

/** A form in a dialog, then its preview; what is refused is shown in the form. */
export function PreviewedDialog({ title, fields, plan, onClose, conflict, children }: Props) {
    const [problem, setProblem] = useState<Problem>();
    const [change, setChange] = useState<PlannedChange>();
    const preview = () => {
        setProblem(undefined);
        setChange({ title, ...plan() });
    };
    return (
        <>
            <ChangeForm
                opened={change === undefined}
                title={title}
                problem={problem}
                fields={fields}
                onClose={onClose}
                onSubmit={preview}
            >
                {children(problem, () => setProblem(undefined))}
            </ChangeForm>
            <PreviewDialog
                change={change}
                onClose={() => setChange(undefined)}
                onDone={onClose}
                onProblem={refused => {
                    if (refused.isStale && conflict) return;
                    setProblem(refused);
                    setChange(undefined);
                }}
                conflict={conflict?.(preview)}
            />
        </>
    );
}
