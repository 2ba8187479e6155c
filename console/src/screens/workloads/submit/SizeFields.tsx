import { SegmentedControl, Select, Stack, Text } from '@mantine/core';
import type { Schema } from '../../../api/client';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DraftNumber, SizeInputs } from '../../../ui/DraftFields';
import { Section } from '../../../ui/Page';
import { canHaveReplicas, canHaveRoles, totalOf, type Size } from './draft';
import type { FieldsProps } from './fields';
import { RoleFields } from './RoleFields';
import styles from '../../../ui/Fields.module.css';

const words = text.workloads.form;

interface Props extends FieldsProps {
    /** Sizes that the workspace offers in this quota. */
    presets: readonly Schema<'SizePreset'>[];
}

/** How many replicas, and what each of them takes. */
export function SizeFields({ presets, ...fields }: Props) {
    const { draft, onDraft, wrong } = fields;
    const total = totalOf(draft);
    const hasRoles = draft.hasRoles && canHaveRoles(draft.module);
    const onSize = (change: Partial<Size>) => onDraft({ size: { ...draft.size, ...change } });
    const fitting = presets.filter(preset => preset.modules?.includes(draft.module) ?? true);
    return (
        <Section
            title={words.size}
            actions={
                <Text size="sm" c="dimmed" data-testid="total">
                    {words.total(figure(total.gpus), total.replicas)}
                </Text>
            }
        >
            <Stack gap="sm">
                {canHaveRoles(draft.module) && (
                    <SegmentedControl
                        aria-label={words.shape.label}
                        value={hasRoles ? 'roles' : 'equal'}
                        onChange={shape => onDraft({ hasRoles: shape === 'roles' })}
                        data={[
                            { value: 'equal', label: words.shape.equal },
                            { value: 'roles', label: words.shape.roles },
                        ]}
                    />
                )}
                {hasRoles ? (
                    <RoleFields {...fields} />
                ) : (
                    <>
                        {fitting.length > 0 && (
                            <Select
                                label={words.preset}
                                placeholder={words.presetNone}
                                clearable
                                maw={280}
                                data={fitting.map(preset => preset.name)}
                                onChange={name => {
                                    const preset = fitting.find(one => one.name === name)?.resources;
                                    if (preset)
                                        onSize({
                                            gpu: preset.gpu ?? '',
                                            cpu: preset.cpu ?? '',
                                            memory: preset.memory == null ? '' : String(preset.memory),
                                        });
                                }}
                            />
                        )}
                        <div className={styles.row}>
                            {canHaveReplicas(draft.module) && (
                                <>
                                    <DraftNumber
                                        of={fields}
                                        name="replicas"
                                        at="/spec/replicas"
                                        label={words.replicas}
                                        min={1}
                                    />
                                    <DraftNumber
                                        of={fields}
                                        name="minReplicas"
                                        at="/spec/minReplicas"
                                        label={words.minReplicas}
                                        description={
                                            draft.module === 'training'
                                                ? words.minReplicasHint.training
                                                : words.minReplicasHint.other
                                        }
                                        min={1}
                                    />
                                </>
                            )}
                            <SizeInputs
                                of={{ draft: draft.size, wrong, onDraft: onSize }}
                                at="/spec/resources"
                                words={words}
                            />
                        </div>
                    </>
                )}
            </Stack>
        </Section>
    );
}
