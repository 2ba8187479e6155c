import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DryRun } from '../api/client';
import { Problem } from '../api/problem';

/** Whoever types is asked about when they pause. */
const PAUSE_MS = 250;

interface Change<Draft, Wanted> {
    begin: Draft;
    /** What is sent, of what stands in the form; `undefined`: too little is said to be asked about. */
    wantedOf(draft: Draft): Wanted | undefined;
    /** What is wrong before anybody is asked, by JSON pointer. */
    wrongIn?(draft: Draft): Record<string, string>;
    /** The first parts of the key of the preview: what makes these old makes it old. */
    key: QueryKey;
    /** Asks what it would do. */
    preview(wanted: Wanted, signal: AbortSignal): Promise<DryRun>;
    /** Does it, and goes to where it can be seen. */
    apply(wanted: Wanted): Promise<unknown>;
}

/** What parts of a form are given. */
export interface FieldsOf<Draft> {
    draft: Draft;
    onDraft(change: Partial<Draft>): void;
    /** What is wrong at a JSON pointer: here, or by the server's word. */
    wrong(pointer: string): string | undefined;
}

/** A form that says what it would do as long as one types: its draft, the preview, and how it is sent. */
export function usePreviewedChange<Draft, Wanted>(change: Change<Draft, Wanted>) {
    const [draft, setDraft] = useState(change.begin);
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const said = JSON.stringify(change.wantedOf(draft));
    const wanted = useMemo(() => (said === undefined ? undefined : (JSON.parse(said) as Wanted)), [said]);
    const [asked] = useDebouncedValue(wanted, PAUSE_MS);
    const local = useMemo(() => change.wrongIn?.(draft) ?? {}, [draft]);
    const isSound = wanted !== undefined && Object.keys(local).length === 0;
    const preview = useQuery({
        queryKey: [...change.key, asked],
        queryFn: ({ signal }) => change.preview(asked as Wanted, signal),
        enabled: isSound && asked !== undefined,
        placeholderData: keepPreviousData,
        staleTime: 1_000,
        gcTime: 10_000,
        retry: false,
    });
    const isOld = asked !== wanted || preview.isPlaceholderData || !isSound;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);

    const apply = async () => {
        if (wanted === undefined) return;
        setBusy(true);
        setRefusal(undefined);
        try {
            await change.apply(wanted);
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const fields: FieldsOf<Draft> = {
        draft,
        onDraft: part => {
            setRefusal(undefined);
            setDraft(before => ({ ...before, ...part }));
        },
        wrong: pointer => local[pointer] ?? problem?.at(pointer),
    };
    return {
        fields,
        wanted,
        would: preview.data,
        /** What `PreviewedForm` is given of it. */
        form: { problem, isOld, isBusy, onSubmit: () => void apply() },
        /** The refusal was seen, and what it was about may be asked again. */
        forget: () => setRefusal(undefined),
    };
}
