import { Button, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../api/problem';
import { text } from '../texts';
import { ProblemAlert } from './ProblemAlert';
import styles from './PreviewedForm.module.css';

const words = text.workloads.preview;

interface Props {
    /** The fields. */
    children: ReactNode;
    /** What would happen; `undefined`: nobody knows yet. */
    verdict: ReactNode | undefined;
    kind: 'starts' | 'waits' | 'preempts' | 'quiet' | undefined;
    problem: Problem | undefined;
    /** Fields that show their own part of the problem. */
    shown: readonly string[];
    /** What is shown was said of something else. */
    isOld: boolean;
    isBusy: boolean;
    button: string;
    onSubmit(): void;
}

/** A form beside what would happen, as long as one types; and the button that does it. */
export function PreviewedForm(props: Props) {
    const { children, verdict, kind, problem, shown, isOld, isBusy, button, onSubmit } = props;
    const canSubmit = verdict !== undefined && !problem && !isOld;
    return (
        <form
            className={styles.layout}
            noValidate
            onSubmit={event => {
                event.preventDefault();
                if (canSubmit) onSubmit();
            }}
        >
            <div className={styles.form}>{children}</div>
            <section
                className={styles.preview}
                data-kind={problem ? 'refused' : kind}
                data-old={isOld}
                data-testid="verdict"
                aria-label={words.title}
                aria-live="polite"
            >
                <div className={styles.answer} tabIndex={0}>
                    {problem ? (
                        <>
                            <Verdict>{words.refused}</Verdict>
                            <ProblemAlert problem={problem} shown={shown} />
                        </>
                    ) : (
                        (verdict ?? (
                            <Verdict>
                                <Loader size="xs" mr="xs" />
                                {words.asking}
                            </Verdict>
                        ))
                    )}
                </div>
                <Button
                    type="submit"
                    size="sm"
                    color={kind === 'preempts' && !problem ? 'coral' : undefined}
                    disabled={!canSubmit}
                    loading={isBusy}
                >
                    {button}
                </Button>
            </section>
        </form>
    );
}

/** What would happen, in a few words. */
export function Verdict({ children }: { children: ReactNode }) {
    return <h2 className={styles.verdict}>{children}</h2>;
}
