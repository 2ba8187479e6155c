import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Problem } from '../../api/problem';
import { quotaChanges, type NewQuota, type Quota } from '../../api/queries/quotas';
import { pools } from '../../api/queries/supply';
import { text } from '../../texts';
import { PreviewDialog, type PlannedChange } from '../../ui/PreviewDialog';
import { ChangeForm } from '../../ui/ChangeForm';
import { GuaranteeFields, noneOf } from './GuaranteeFields';

const words = text.quotas.create;
const FIELDS = ['/metadata/name', '/spec/guarantee', '/spec/pool'];

/** A child of a quota; without one, a root over a pool. */
export function NewQuotaDialog({ parent, onClose }: { parent?: Quota; onClose(): void }) {
    const { data: allPools } = useQuery({ ...pools.list(), enabled: parent === undefined });
    const [name, setName] = useState('');
    const [pool, setPool] = useState<string | null>(null);
    const [guarantee, setGuarantee] = useState(() => noneOf(parent?.spec.guarantee ?? { gpu: 0 }));
    const [problem, setProblem] = useState<Problem>();
    const [isPreviewed, setPreviewed] = useState(false);
    const chosenPool = pool ?? allPools?.[0]?.metadata.name ?? null;

    const change = useMemo<PlannedChange | undefined>(() => {
        if (!isPreviewed) return undefined;
        const place = parent ? { parent: parent.metadata.name } : { pool: chosenPool };
        const body: NewQuota = { kind: 'Quota', metadata: { name }, spec: { ...place, guarantee } };
        return {
            title: words.title,
            confirm: words.confirm,
            moves: ['quotas', 'pools'],
            send: asked => quotaChanges.create(body, asked),
        };
    }, [isPreviewed, parent, chosenPool, name, guarantee]);

    return (
        <>
            <ChangeForm
                opened={!isPreviewed}
                title={parent ? words.childOf(parent.metadata.name) : words.root}
                problem={problem}
                fields={FIELDS}
                onClose={onClose}
                onSubmit={() => {
                    setProblem(undefined);
                    setPreviewed(true);
                }}
            >
                <TextInput
                    label={words.name}
                    description={words.nameHint}
                    required
                    autoFocus
                    value={name}
                    error={problem?.at('/metadata/name')}
                    onChange={event => setName(event.currentTarget.value)}
                />
                {parent === undefined && (
                    <Select
                        label={words.pool}
                        required
                        data={allPools?.map(one => one.metadata.name) ?? []}
                        value={chosenPool}
                        error={problem?.at('/spec/pool')}
                        onChange={setPool}
                    />
                )}
                <GuaranteeFields
                    value={guarantee}
                    onChange={setGuarantee}
                    problem={problem}
                    pointer="/spec/guarantee"
                />
            </ChangeForm>
            <PreviewDialog
                change={change}
                onClose={() => setPreviewed(false)}
                onDone={onClose}
                onProblem={refused => {
                    setProblem(refused);
                    setPreviewed(false);
                }}
            />
        </>
    );
}
