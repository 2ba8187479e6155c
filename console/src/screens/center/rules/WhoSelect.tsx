import { Select } from '@mantine/core';
import { text } from '../../../texts';
import type { Who } from './draft';

const words = text.center.rules;

interface Props {
    who: Who;
    roles: readonly string[];
    members: readonly string[];
    error?: string;
    onChange(who: Who): void;
}

/** Each member with a role, or one member. */
export function WhoSelect({ who, roles, members, error, onChange }: Props) {
    const option = (kind: string) => (name: string) => ({ value: `${kind}/${name}`, label: name });
    const known = new Set([...roles.map(name => `role/${name}`), ...members.map(name => `member/${name}`)]);
    // Somebody who has left may still stand in a rule.
    const gone = who !== '' && !known.has(who) ? [who] : [];
    return (
        <Select
            label={words.who}
            placeholder={words.whoHint}
            searchable
            allowDeselect={false}
            w={200}
            data={[
                { group: words.roles, items: roles.map(option('role')) },
                { group: words.members, items: members.map(option('member')) },
                ...gone,
            ]}
            value={who === '' ? null : who}
            error={error}
            onChange={value => onChange(value ?? '')}
        />
    );
}
