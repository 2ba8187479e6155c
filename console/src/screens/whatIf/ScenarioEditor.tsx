import { useMemo, type KeyboardEvent, type Ref } from 'react';
import { text } from '../../texts';
import { highlight, type Piece, type Spot } from './highlight';
import styles from './ScenarioEditor.module.css';

const words = text.whatIf.editor;

interface Props {
    value: string;
    onChange(value: string): void;
    /** Ctrl + Enter. */
    onRun(): void;
    /** Where the text cannot be read. */
    error: Spot | undefined;
    /** Id of the element that says why. */
    errorId: string;
    ref: Ref<HTMLTextAreaElement>;
}

/**
 * A plain text field that grows with its text, before a picture of the same text in colors. The frame around both
 * scrolls, so that they never part.
 */
export function ScenarioEditor({ value, onChange, onRun, error, errorId, ref }: Props) {
    const lines = useMemo(() => highlight(value), [value]);
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onRun();
    };
    return (
        <div className={styles.frame}>
            <div className={styles.numbers} aria-hidden="true">
                {lines.map((_, index) => (
                    <span key={index} data-bad={error?.line === index + 1}>
                        {index + 1}
                    </span>
                ))}
            </div>
            <div className={styles.area}>
                <pre className={styles.picture} aria-hidden="true">
                    {lines.map((line, index) => (
                        <Line
                            key={index}
                            line={line}
                            column={error?.line === index + 1 ? error.column : undefined}
                        />
                    ))}
                </pre>
                <textarea
                    ref={ref}
                    className={styles.text}
                    value={value}
                    wrap="off"
                    spellCheck={false}
                    autoCapitalize="off"
                    autoCorrect="off"
                    aria-label={words.label}
                    aria-invalid={error !== undefined}
                    aria-describedby={error === undefined ? undefined : errorId}
                    onChange={event => onChange(event.currentTarget.value)}
                    onKeyDown={onKeyDown}
                />
            </div>
        </div>
    );
}

function Line({ line, column }: { line: readonly Piece[]; column: number | undefined }) {
    let at = 1;
    let isMarked = false;
    const pieces = line.map((piece, index) => {
        const from = at;
        at += piece.text.length;
        const isBad = column !== undefined && column >= from && column < at;
        isMarked ||= isBad;
        return (
            <span key={index} data-kind={piece.kind} data-bad={isBad}>
                {piece.text}
            </span>
        );
    });
    return (
        <div className={styles.line} data-bad={column !== undefined}>
            {pieces}
            {/* Something is missing at the end of the line. */}
            {column !== undefined && !isMarked && <span data-bad="true">{'  '}</span>}
            {'\n'}
        </div>
    );
}
