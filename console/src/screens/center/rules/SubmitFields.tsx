import { Checkbox, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { text } from '../../../texts';
import { Section } from '../../../ui/Page';
import { MODULES, type Module } from './draft';
import type { FieldsProps } from './fields';

const words = text.center.rules.submit;

/** Which modules and which roles may submit at all. */
export function SubmitFields({ draft, problem, roles, set }: FieldsProps) {
    return (
        <Section title={words.title}>
            <Text size="sm" c="dimmed" mb="sm">
                {words.about}
            </Text>
            <Stack gap="sm">
                <Checkbox.Group
                    label={words.modules}
                    value={draft.modules}
                    error={problem?.at('/spec/modules')}
                    // In the order of the list, whatever was clicked first.
                    onChange={chosen =>
                        set({ modules: MODULES.filter(module => (chosen as Module[]).includes(module)) })
                    }
                >
                    <Group gap="lg" mt={4}>
                        {MODULES.map(module => (
                            <Checkbox key={module} value={module} label={words.module[module]} />
                        ))}
                    </Group>
                </Checkbox.Group>
                <MultiSelect
                    label={words.roles}
                    placeholder={draft.roles.length === 0 ? words.allRoles : undefined}
                    maw={480}
                    data={[...new Set([...roles, ...draft.roles])]}
                    value={draft.roles}
                    error={problem?.at('/spec/roles')}
                    onChange={chosen => set({ roles: chosen })}
                />
            </Stack>
        </Section>
    );
}
