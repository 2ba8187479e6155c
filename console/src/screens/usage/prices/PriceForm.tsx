import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DryRun } from '../../../api/client';
import { priceChanges, prices, type PriceBook } from '../../../api/queries/metering';
import type { Asked } from '../../../api/queries/quotas';
import { text } from '../../../texts';
import { FormConflict } from '../../../ui/FormConflict';
import { PreviewedForm, Verdict } from '../../../ui/PreviewedForm';
import { minute } from '../../../ui/time';
import { usePreviewedChange } from '../../../ui/usePreviewedChange';
import { draftOf, specOf, type Draft } from './model';
import { BookFields, ValidFields } from './BookFields';
import { TariffFields } from './TariffFields';

const words = text.bills.prices.form;

interface Props {
    begin: Draft;
    /** The book that gets new prices; `undefined`: a new one is made. */
    before?: PriceBook;
}

/** Prices as they shall be, beside from when on they hold. */
export function PriceForm({ begin, before }: Props) {
    const client = useQueryClient();
    const navigate = useNavigate();
    const [base, setBase] = useState(before);
    const send = (one: Wanted, query: Asked) =>
        base
            ? priceChanges.set(one.name, base.metadata.version, one.spec, query)
            : priceChanges.create(one.name, one.spec, query);
    const { fields, wanted, would, form, forget } = usePreviewedChange({
        begin,
        wantedOf,
        key: ['prices', 'preview', base?.metadata.version],
        preview: one => send(one, { dryRun: true }) as Promise<DryRun>,
        apply: async one => {
            await send(one, { dryRun: false });
            await client.invalidateQueries({ queryKey: ['prices'] });
            void client.invalidateQueries({ queryKey: ['metering'] });
            await navigate({ to: '/usage/prices/$book', params: { book: one.name } });
        },
    });
    const isStale = form.problem?.isStale === true && base !== undefined;
    const now = useQuery({ ...prices.one(base?.metadata.name ?? ''), enabled: isStale, staleTime: 0 });
    const parts = { ...fields, isKnown: base !== undefined };
    return (
        <>
            <PreviewedForm
                {...form}
                verdict={
                    wanted === undefined ? (
                        <Text size="sm">{words.empty}</Text>
                    ) : (
                        would && <Outcome base={base} would={would.result as unknown as PriceBook} />
                    )
                }
                kind="quiet"
                problem={isStale ? undefined : form.problem}
                shown={['/metadata', '/spec']}
                button={base ? words.submitVersion : words.submit}
            >
                <BookFields {...parts} />
                <TariffFields {...parts} />
                <ValidFields {...parts} />
            </PreviewedForm>
            <FormConflict
                isStale={isStale}
                before={base}
                now={now}
                mine={wanted?.spec}
                onClose={forget}
                onGoOn={(theirs, isMine) => {
                    setBase(theirs);
                    forget();
                    const latest = theirs.status.versions.at(-1)?.prices ?? {};
                    if (!isMine) fields.onDraft(draftOf(theirs, latest, [...fields.draft.models]));
                }}
            />
        </>
    );
}

interface Wanted {
    name: string;
    spec: ReturnType<typeof specOf>;
}

function wantedOf(draft: Draft): Wanted | undefined {
    const name = draft.name.trim();
    const spec = specOf(draft);
    return name === '' || Object.keys(spec.prices).length === 0 ? undefined : { name, spec };
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
