import { Select } from '@mantine/core';
import { text } from '../../../texts';
import type { FieldsProps } from './fields';
import { Lines } from './Lines';
import { WhoSelect } from './WhoSelect';

const words = text.center.rules.priority;
const PRIORITIES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const USUAL = 5;

/** The highest priority of each. */
export function PriorityFields({ draft, problem, roles, members, set }: FieldsProps) {
    return (
        <Lines
            words={words}
            lines={draft.maxPriority}
            fresh={{ who: '', priority: USUAL }}
            onChange={maxPriority => set({ maxPriority })}
        >
            {(line, index, change) => {
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
    );
}
