import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meteringChanges, type NewCorrection } from '../../../api/queries/metering';
import type { Asked } from '../../../api/queries/quotas';
import { users } from '../../../api/queries/people';
import { pools } from '../../../api/queries/supply';
import { workspaces } from '../../../api/queries/workspaces';
import { useQuotaNames } from '../../../api/quotaNames';
import { text } from '../../../texts';
import fields from '../../../ui/Fields.module.css';
import { optionsOf } from '../../../ui/FilterBar';
import { PreviewedDialog } from '../../../ui/PreviewedDialog';
import { local } from '../../../ui/time';

const words = text.bills.corrections.form;
const FIELDS = [
    'workspace',
    'user',
    'quota',
    'mode',
    'resource',
    'class',
    'hours',
    'at',
    'workloadId',
    'reason',
];
const POINTERS = FIELDS.map(name => `/${name}`);

/** Hours that are added to what somebody has used, or taken back: a form, then its preview. */
export function CorrectDialog({ workspace, onClose }: { workspace: string | undefined; onClose(): void }) {
    const rooms = useQuery(workspaces.list());
    const people = useQuery(users.list());
    const supply = useQuery(pools.list());
    const quotas = useQuotaNames() ?? [];
    const models = [...new Set(supply.data?.flatMap(pool => pool.status.gpus.map(one => one.model)) ?? [])];
    const [draft, setDraft] = useState<Record<string, string>>({
        workspace: workspace ?? '',
        mode: 'quota',
        class: 'firm',
        at: local(Date.now()),
    });
    const plan = () => {
        const { workspace = '', user = '', quota = '', resource = '', hours = '', reason = '' } = draft;
        const body: NewCorrection = {
            workspace,
            user,
            quota,
            resource,
            hours: hours.trim(),
            reason,
            mode: draft.mode,
            class: draft.class,
            at: new Date(draft.at ?? '').toISOString(),
            workloadId: draft.workloadId?.trim() || undefined,
        };
        return {
            confirm: words.confirm,
            about: words.effect(hours, resource, user, workspace),
            moves: ['metering'],
            send: (asked: Asked) => meteringChanges.correct(body, asked),
        };
    };
    return (
        <PreviewedDialog title={words.title} fields={POINTERS} onClose={onClose} plan={plan}>
            {(problem, forget) => {
                const set = (name: string, value: string) => {
                    // What is said was of something else.
                    forget();
                    setDraft(before => ({ ...before, [name]: value }));
                };
                const shared = (name: string, hint?: string) => ({
                    label: words[name as keyof typeof words] as string,
                    description: hint,
                    error: problem?.at(`/${name}`),
                });
                const select = (name: string, data: (string | { value: string; label: string })[]) => (
                    <Select
                        {...shared(name)}
                        required
                        searchable={data.length > 8}
                        allowDeselect={false}
                        data={data}
                        value={draft[name] ?? null}
                        onChange={value => set(name, value ?? '')}
                    />
                );
                const input = (name: string, hint?: string, type?: string) => (
                    <TextInput
                        {...shared(name, hint)}
                        {...(name === 'workloadId' && { label: words.workload })}
                        required={name !== 'workloadId'}
                        type={type}
                        value={draft[name] ?? ''}
                        onChange={event => set(name, event.currentTarget.value)}
                    />
                );
                return (
                    <>
                        <div className={fields.pairs}>
                            {select('workspace', rooms.data?.map(one => one.metadata.name) ?? [])}
                            {select('user', people.data?.map(one => one.metadata.name) ?? [])}
                            {select('quota', quotas)}
                            {select('resource', [...models.map(model => `gpu:${model}`), 'cpu', 'memory'])}
                            {select('mode', optionsOf(text.usage.modes))}
                            {select('class', optionsOf(text.usage.classes))}
                            {input('hours', words.hoursHint)}
                            {input('at', words.atHint, 'datetime-local')}
                        </div>
                        {input('workloadId', words.workloadHint)}
                        {input('reason')}
                    </>
                );
            }}
        </PreviewedDialog>
    );
}
