import { Select } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/client';
import type { Problem } from '../../api/problem';
import { supplyChanges } from '../../api/queries/supply';
import { text } from '../../texts';
import { DraftNumber, DraftText } from '../../ui/DraftFields';
import styles from '../../ui/Fields.module.css';
import type { PlannedChange } from '../../ui/PreviewDialog';
import { PreviewedDialog } from '../../ui/PreviewedDialog';

const words = text.nodes.pools.form;

interface Draft {
    name: string;
    pool: string;
    count: number | string;
    gpus: number | string;
    model: string;
    cpu: number | string;
    memory: string;
}

interface Props {
    adds: 'pool' | 'node';
    /** Pools that there are; a node becomes a part of one. */
    pools: readonly string[];
    pool: string;
    onClose(): void;
}

/** A pool with its first nodes, or one more node: a form, then its preview. */
export function SupplyDialog({ adds, pools, pool, onClose }: Props) {
    const isPool = adds === 'pool';
    const [draft, setDraft] = useState<Draft>({
        name: '',
        pool,
        count: 1,
        gpus: 8,
        model: '',
        cpu: '',
        memory: '',
    });
    const spec = isPool ? '/spec/nodes/0' : '/spec';
    const ofForm = (problem: Problem | undefined, forget: () => void) => ({
        draft,
        // That the model is missing is said of the machine.
        wrong: (pointer: string) =>
            problem?.at(pointer) ??
            (pointer === `${spec}/model`
                ? problem?.pointers.find(one => one.pointer === spec)?.detail
                : undefined),
        onDraft: (part: Partial<Draft>) => {
            // What is said was of something else.
            forget();
            setDraft(before => ({ ...before, ...part }));
        },
    });
    return (
        <PreviewedDialog
            title={words[adds]}
            fields={[
                '/metadata/name',
                ...['pool', 'count', 'gpus', 'model', 'cpu', 'memory'].map(at => `${spec}/${at}`),
            ]}
            onClose={onClose}
            plan={() => planned(isPool, draft)}
        >
            {(problem, forget) => {
                const of = ofForm(problem, forget);
                return (
                    <div className={styles.pairs}>
                        <DraftText
                            of={of}
                            name="name"
                            at="/metadata/name"
                            label={words.name}
                            description={isPool ? words.nameHintPool : words.nameHintNode}
                            required
                            data-autofocus
                        />
                        {isPool ? (
                            <DraftNumber
                                of={of}
                                name="count"
                                at={`${spec}/count`}
                                label={words.count}
                                required
                                min={1}
                            />
                        ) : (
                            <Select
                                label={words.ofPool}
                                allowDeselect={false}
                                data={[...pools]}
                                value={draft.pool}
                                error={of.wrong(`${spec}/pool`)}
                                onChange={next => of.onDraft({ pool: next ?? '' })}
                            />
                        )}
                        <DraftNumber
                            of={of}
                            name="gpus"
                            at={`${spec}/gpus`}
                            label={words.gpus}
                            description={words.gpusHint}
                            required
                        />
                        <DraftText
                            of={of}
                            name="model"
                            at={`${spec}/model`}
                            label={words.model}
                            placeholder="H100"
                        />
                        <DraftNumber
                            of={of}
                            name="cpu"
                            at={`${spec}/cpu`}
                            label={words.cpu}
                            description={words.cpuHint}
                            allowDecimal
                            decimalScale={3}
                        />
                        <DraftText
                            of={of}
                            name="memory"
                            at={`${spec}/memory`}
                            label={words.memory}
                            description={words.memoryHint}
                            placeholder="1Ti"
                        />
                    </div>
                );
            }}
        </PreviewedDialog>
    );
}

const said = (typed: number | string) => (typed === '' ? undefined : typed);

/** What is sent; what is empty is the server's to choose. */
function planned(isPool: boolean, draft: Draft): Omit<PlannedChange, 'title'> {
    const metadata = { name: draft.name.trim() };
    const machine = {
        gpus: Number(draft.gpus),
        model: said(draft.model.trim()) as string | undefined,
        cpu: said(draft.cpu) as number | undefined,
        memory: said(draft.memory.trim()) as Schema<'Memory'> | undefined,
    };
    const moves = ['pools', 'nodes', 'quotas', 'workloads'];
    if (isPool)
        return {
            moves,
            confirm: words.confirmPool,
            about: words.effectPool(metadata.name, String(draft.count), String(draft.gpus)),
            send: asked =>
                supplyChanges.createPool(
                    { kind: 'Pool', metadata, spec: { nodes: [{ ...machine, count: Number(draft.count) }] } },
                    asked,
                ),
        };
    return {
        moves,
        confirm: words.confirmNode,
        about: words.effectNode(metadata.name, draft.pool, String(draft.gpus)),
        send: asked =>
            supplyChanges.addNode({ kind: 'Node', metadata, spec: { pool: draft.pool, ...machine } }, asked),
    };
}
