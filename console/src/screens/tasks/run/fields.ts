import type { Draft } from './draft';

/** What every part of the form is given. */
export interface FieldsProps {
    draft: Draft;
    onDraft(change: Partial<Draft>): void;
    /** What is wrong at a JSON pointer: here, or by the server's word. */
    wrong(pointer: string): string | undefined;
}
