import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quotaChanges, type NewQuota, type Quota } from '../../api/queries/quotas';
import { pools } from '../../api/queries/supply';
import { text } from '../../texts';
import { PreviewedDialog } from '../../ui/PreviewedDialog';
import { GuaranteeFields, noneOf } from './GuaranteeFields';

const words = text.quotas.create;
const FIELDS = ['/metadata/name', '/spec/guarantee', '/spec/pool'];

/** A child of a quota; without one, a root over a pool. */
export function NewQuotaDialog({ parent, onClose }: { parent?: Quota; onClose(): void }) {
    const { data: allPools } = useQuery({ ...pools.list(), enabled: parent === undefined });
    const [name, setName] = useState('');
    const [pool, setPool] = useState<string | null>(null);
    const [guarantee, setGuarantee] = useState(() => noneOf(parent?.spec.guarantee ?? { gpu: 0 }));
    const chosenPool = pool ?? allPools?.[0]?.metadata.name ?? null;

    return (
        <PreviewedDialog
            title={parent ? words.childOf(parent.metadata.name) : words.root}
            fields={FIELDS}
            onClose={onClose}
            plan={() => {
                const place = parent ? { parent: parent.metadata.name } : { pool: chosenPool };
                const body: NewQuota = { kind: 'Quota', metadata: { name }, spec: { ...place, guarantee } };
                return {
                    confirm: words.confirm,
                    moves: ['quotas', 'pools'],
                    send: asked => quotaChanges.create(body, asked),
                };
            }}
        >
            {problem => (
                <>
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
                </>
            )}
        </PreviewedDialog>
    );
}
