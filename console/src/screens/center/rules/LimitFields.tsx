import { Text, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { AmountFields } from './AmountFields';
import { replaced, without, type FieldsProps } from './fields';
import { Lines } from './Lines';
import { WhoSelect } from './WhoSelect';

const words = text.center.rules.limits;
const EMPTY = { who: '', priorities: '', gpu: '', cpu: '', memory: '' } as const;

/** How much each may use at a time. */
export function LimitFields({ draft, problem, roles, members, set }: FieldsProps) {
    const { limits } = draft;
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <Lines
                label={words.title}
                lines={limits}
                add={words.add}
                onAdd={() => set({ limits: [...limits, EMPTY] })}
                onRemove={index => set({ limits: without(limits, index) })}
            >
                {(line, index) => {
                    const pointer = `/spec/limits/${index}`;
                    const change = (part: Partial<typeof line>) =>
                        set({ limits: replaced(limits, index, part) });
                    return (
                        <>
                            <WhoSelect
                                who={line.who}
                                roles={roles}
                                members={members}
                                error={
                                    problem?.at(`${pointer}/role`) ??
                                    problem?.at(`${pointer}/member`) ??
                                    problem?.pointers.find(one => one.pointer === pointer)?.detail
                                }
                                onChange={who => change({ who })}
                            />
                            <TextInput
                                label={words.priorities}
                                placeholder={words.prioritiesHint}
                                w={100}
                                value={line.priorities}
                                error={problem?.at(`${pointer}/priorities`)}
                                onChange={event => change({ priorities: event.currentTarget.value })}
                            />
                            <AmountFields amounts={line} problem={problem} pointer={pointer} set={change} />
                        </>
                    );
                }}
            </Lines>
        </Section>
    );
}
