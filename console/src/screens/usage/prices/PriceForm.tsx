import { Modal, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { DryRun } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { priceChanges, prices, type PriceBook } from '../../../api/queries/metering';
import type { Asked } from '../../../api/queries/quotas';
import { text } from '../../../texts';
import { ConflictView } from '../../../ui/ConflictView';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { minute } from '../../../ui/time';
import { draftOf, specOf, type Draft } from './model';
import { BookFields, ValidFields } from './BookFields';
import { TariffFields } from './TariffFields';

const words = text.bills.prices.form;
const PAUSE_MS = 300;

interface Props {
    begin: Draft;
    /** The book that gets new prices; `undefined`: a new one is made. */
    before?: PriceBook;
}

/** Prices as they shall be, beside from when on they hold. */
export function PriceForm({ begin, before }: Props) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const [draft, setDraft] = useState(begin);
    const [base, setBase] = useState(before);
    const [refusal, setRefusal] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);

    const name = draft.name.trim();
    const spec = useMemo(() => specOf(draft), [draft]);
    const wanted = useMemo(() => ({ name, spec }), [name, spec]);
    const [asked] = useDebouncedValue(wanted, PAUSE_MS);
    const isSound = name !== '' && Object.keys(spec.prices).length > 0;
    const send = (one: typeof wanted, query: Asked) =>
        base
            ? priceChanges.set(one.name, base.metadata.version, one.spec, query)
            : priceChanges.create(one.name, one.spec, query);
    const preview = useQuery({
        queryKey: ['prices', 'preview', asked, base?.metadata.version],
        queryFn: () => send(asked, { dryRun: true }) as Promise<DryRun>,
        enabled: isSound && asked.name !== '',
        placeholderData: keepPreviousData,
        gcTime: 10_000,
        retry: false,
    });
    const isOld = asked !== wanted || preview.isPlaceholderData || !isSound;
    const problem = refusal ?? (preview.error && !isOld ? Problem.from(preview.error) : undefined);
    const isStale = problem?.isStale === true && base !== undefined;
    const now = useQuery({ ...prices.one(name), enabled: isStale, staleTime: 0 });
    const theirs = now.isFetching ? undefined : now.data;

    const save = async () => {
        setBusy(true);
        setRefusal(undefined);
        try {
            await send(wanted, { dryRun: false });
            await client.invalidateQueries({ queryKey: ['prices'] });
            void client.invalidateQueries({ queryKey: ['metering'] });
            await navigate({ to: '/usage/prices/$book', params: { book: name } });
        } catch (thrown) {
            setRefusal(Problem.from(thrown));
        } finally {
            setBusy(false);
        }
    };
    const fields = {
        draft,
        isKnown: base !== undefined,
        wrong: (pointer: string) => problem?.at(pointer),
        onDraft: (change: Partial<Draft>) => {
            setRefusal(undefined);
            setDraft(all => ({ ...all, ...change }));
        },
    };
    const would = preview.data && (preview.data.result as unknown as PriceBook);
    return (
        <>
            <PreviewedForm
                verdict={
                    !isSound ? (
                        <Text size="sm">{words.empty}</Text>
                    ) : (
                        would && <Outcome base={base} would={would} />
                    )
                }
                kind="quiet"
                problem={isStale ? undefined : problem}
                shown={['/metadata', '/spec']}
                isOld={isOld}
                isBusy={isBusy}
                button={base ? words.submitVersion : words.submit}
                onSubmit={() => void save()}
            >
                <BookFields {...fields} />
                <TariffFields {...fields} />
                <ValidFields {...fields} />
            </PreviewedForm>
            <Modal opened={isStale} onClose={() => setRefusal(undefined)} title={text.common.conflict.title}>
                <ConflictView
                    before={base?.spec}
                    theirs={theirs?.spec}
                    mine={spec}
                    onTakeTheirs={() => {
                        if (!theirs) return;
                        setBase(theirs);
                        setDraft(
                            draftOf(theirs, theirs.status.versions.at(-1)?.prices ?? {}, [...draft.models]),
                        );
                        setRefusal(undefined);
                    }}
                    onTakeMine={() => {
                        if (theirs) setBase(theirs);
                        setRefusal(undefined);
                    }}
                />
            </Modal>
        </>
    );
}

function Outcome({ base, would }: { base?: PriceBook; would: PriceBook }) {
    const { versions } = would.status;
    const last = versions.at(-1);
    const from = last ? Date.parse(last.validFrom) : 0;
    // A dry run happens now.
    const isNow = Math.abs(from - Date.now()) < 60_000;
    const isSame =
        base !== undefined && versions.length === base.status.versions.length && isAlike(base, would);
    return (
        <>
            <Verdict>
                {isSame ? words.verdictSame : isNow ? words.verdictNow : words.verdictLater(minute(from))}
            </Verdict>
            <Text size="sm">
                {isSame
                    ? words.sameAbout
                    : versions.length > 1
                      ? words.before(versions.length - 1)
                      : words.first}
            </Text>
        </>
    );
}

/** A version that replaces one that has not come yet leaves their number as it is. */
function isAlike(a: PriceBook, b: PriceBook): boolean {
    return JSON.stringify(a.status.versions) === JSON.stringify(b.status.versions);
}
