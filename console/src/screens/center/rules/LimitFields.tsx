import { TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { AmountFields } from './AmountFields';
import type { FieldsProps } from './fields';
import { Lines } from './Lines';
import { WhoSelect } from './WhoSelect';

const words = text.center.rules.limits;
const EMPTY = { who: '', priorities: '', gpu: '', cpu: '', memory: '' } as const;

/** How much each may use at a time. */
export function LimitFields({ draft, problem, roles, members, set }: FieldsProps) {
    return (
        <Lines words={words} lines={draft.limits} fresh={EMPTY} onChange={limits => set({ limits })}>
            {(line, index, change) => {
                const pointer = `/spec/limits/${index}`;
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
    );
}
