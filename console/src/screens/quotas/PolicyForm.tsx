import { Button, Group, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { Problem } from '../../api/problem';
import { quotaChanges, type Quota } from '../../api/queries/quotas';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { DisabledReason } from '../../ui/DisabledReason';
import { Section } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import {
    draftOf,
    SCOPES,
    STRATEGIES,
    withPolicies,
    type PolicyDraft,
    type Scope,
    type Strategy,
} from './policy';
import { QuotaChangeDialog, type QuotaChange } from './QuotaChangeDialog';
import { VictimFields } from './VictimFields';
import styles from './PolicyForm.module.css';

const words = text.quotas.policy;
const FIELDS = ['/spec/preemption', '/spec/queue', '/spec/protectFor'];
const TIMES = ['patience', 'agingStep', 'starvationGuard'] as const;

/** Preemption, queue, sharing. What is typed belongs to the version that was seen when typing began. */
export function PolicyForm({ quota }: { quota: Quota }) {
    const session = useSession();
    const whyNot = session.whyNot('quota:update');
    const isFixed = whyNot !== undefined;
    const [edited, setEdited] = useState<{ seen: Quota; draft: PolicyDraft }>();
    const [problem, setProblem] = useState<Problem>();
    const [change, setChange] = useState<QuotaChange>();
    const seen = edited?.seen ?? quota;
    const draft = edited?.draft ?? draftOf(quota.spec);
    const set = (part: Partial<PolicyDraft>) => setEdited({ seen, draft: { ...draft, ...part } });
    const forget = () => {
        setEdited(undefined);
        setProblem(undefined);
        setChange(undefined);
    };
    const preview = () => {
        const { name } = seen.metadata;
        const spec = withPolicies(seen.spec, draft);
        setProblem(undefined);
        setChange({
            title: words.changeOf(name),
            confirm: text.common.save,
            seen,
            wanted: spec,
            send: (version, asked) =>
                quotaChanges.replace(name, version, { kind: 'Quota', metadata: { name }, spec }, asked),
        });
    };

    return (
        <Section title={words.title}>
            <Stack gap="lg">
                <div className={styles.columns}>
                    <fieldset className={styles.part}>
                        <Switch
                            label={words.child}
                            description={words.childAbout}
                            checked={draft.child.isOn}
                            disabled={isFixed}
                            onChange={event =>
                                set({ child: { ...draft.child, isOn: event.currentTarget.checked } })
                            }
                        />
                        {draft.child.isOn && (
                            <VictimFields
                                value={draft.child}
                                disabled={isFixed}
                                problem={problem}
                                pointer="/spec/preemption/childLevel/victims"
                                onChange={value => set({ child: { ...draft.child, ...value } })}
                            />
                        )}
                    </fieldset>
                    <fieldset className={styles.part}>
                        <Switch
                            label={words.self}
                            description={words.selfAbout}
                            checked={draft.self.isOn}
                            disabled={isFixed}
                            onChange={event =>
                                set({ self: { ...draft.self, isOn: event.currentTarget.checked } })
                            }
                        />
                        {draft.self.isOn && (
                            <>
                                <TextInput
                                    label={words.preemptors}
                                    description={words.prioritiesHint}
                                    w={220}
                                    disabled={isFixed}
                                    value={draft.self.preemptors}
                                    error={problem?.at('/spec/preemption/selfLevel/preemptors')}
                                    onChange={event =>
                                        set({
                                            self: { ...draft.self, preemptors: event.currentTarget.value },
                                        })
                                    }
                                />
                                <VictimFields
                                    value={draft.self}
                                    disabled={isFixed}
                                    problem={problem}
                                    pointer="/spec/preemption/selfLevel/victims"
                                    onChange={value => set({ self: { ...draft.self, ...value } })}
                                />
                                <Select
                                    label={words.scope}
                                    w={220}
                                    disabled={isFixed}
                                    allowDeselect={false}
                                    data={SCOPES.map(scope => ({ value: scope, label: words.scopes[scope] }))}
                                    value={draft.self.scope}
                                    onChange={scope =>
                                        set({ self: { ...draft.self, scope: scope as Scope } })
                                    }
                                />
                            </>
                        )}
                    </fieldset>
                    <fieldset className={styles.part}>
                        <Title order={3} size="h6">
                            {words.queue}
                        </Title>
                        <Select
                            label={words.strategy}
                            description={words.strategies[draft.strategy]}
                            w={260}
                            disabled={isFixed}
                            allowDeselect={false}
                            data={[...STRATEGIES]}
                            value={draft.strategy}
                            onChange={strategy => set({ strategy: strategy as Strategy })}
                        />
                        <Group gap="sm" align="start">
                            {TIMES.map(time => (
                                <TextInput
                                    key={time}
                                    label={words[time]}
                                    w={150}
                                    disabled={isFixed}
                                    value={draft[time]}
                                    error={problem?.at(`/spec/queue/${time}`)}
                                    onChange={event => set({ [time]: event.currentTarget.value })}
                                />
                            ))}
                        </Group>
                    </fieldset>
                    <fieldset className={styles.part}>
                        <Switch
                            label={words.idleSharing}
                            description={words.idleSharingAbout}
                            checked={draft.idleSharing}
                            disabled={isFixed}
                            onChange={event => set({ idleSharing: event.currentTarget.checked })}
                        />
                        <Switch
                            label={words.shared}
                            description={words.sharedAbout}
                            checked={draft.isShared}
                            disabled={isFixed}
                            error={problem?.at('/spec/shared')}
                            onChange={({ currentTarget: { checked: isShared } }) =>
                                // Shared compute is fair to workspaces, or it is not shared.
                                set(
                                    isShared
                                        ? { isShared, isDedicated: false, strategy: 'fair' }
                                        : { isShared },
                                )
                            }
                        />
                        <Switch
                            label={words.dedicated}
                            description={words.dedicatedAbout}
                            checked={draft.isDedicated}
                            disabled={isFixed}
                            error={problem?.at('/spec/dedicated')}
                            onChange={({ currentTarget: { checked: isDedicated } }) =>
                                set(isDedicated ? { isDedicated, isShared: false } : { isDedicated })
                            }
                        />
                        <TextInput
                            label={words.protectFor}
                            description={words.protectForAbout}
                            w={260}
                            disabled={isFixed}
                            value={draft.protectFor}
                            error={problem?.at('/spec/protectFor')}
                            onChange={event => set({ protectFor: event.currentTarget.value })}
                        />
                    </fieldset>
                </div>
                <ProblemAlert problem={problem} shown={FIELDS} />
                <Group>
                    <DisabledReason reason={whyNot ?? (edited ? undefined : words.nothing)}>
                        <Button onClick={preview}>{text.quotas.preview}</Button>
                    </DisabledReason>
                    {edited && (
                        <Button variant="default" onClick={forget}>
                            {words.discard}
                        </Button>
                    )}
                    {edited && edited.seen.metadata.version !== quota.metadata.version && (
                        <Text size="sm" c="coral">
                            {words.changedMeanwhile}
                        </Text>
                    )}
                </Group>
            </Stack>
            <QuotaChangeDialog
                change={change}
                onClose={() => setChange(undefined)}
                onDone={forget}
                onProblem={refused => {
                    setProblem(refused);
                    setChange(undefined);
                }}
            />
        </Section>
    );
}
