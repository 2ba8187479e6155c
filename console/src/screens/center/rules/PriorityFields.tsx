import { Select, Text } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { replaced, without, type FieldsProps } from './fields';
import { Lines } from './Lines';
import { WhoSelect } from './WhoSelect';

const words = text.center.rules.priority;
const PRIORITIES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const USUAL = 5;

/** The highest priority of each. */
export function PriorityFields({ draft, problem, roles, members, set }: FieldsProps) {
    const { maxPriority } = draft;
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <Lines
                label={words.title}
                lines={maxPriority}
                add={words.add}
                onAdd={() => set({ maxPriority: [...maxPriority, { who: '', priority: USUAL }] })}
                onRemove={index => set({ maxPriority: without(maxPriority, index) })}
            >
                {(line, index) => {
                    const change = (part: Partial<typeof line>) =>
                        set({ maxPriority: replaced(maxPriority, index, part) });
                    return (
                        <>
                            <WhoSelect
                                who={line.who}
                                roles={roles}
                                members={members}
                                error={problem?.at(`/spec/maxPriority/${index}`)}
                                onChange={who => change({ who })}
                            />
                            <Select
                                label={words.priority}
                                allowDeselect={false}
                                w={90}
                                data={PRIORITIES}
                                value={String(line.priority)}
                                onChange={value => change({ priority: Number(value) })}
                            />
                        </>
                    );
                }}
            </Lines>
        </Section>
    );
}
