import { ActionIcon, Button, NumberInput, TextInput } from '@mantine/core';
import { text } from '../../../texts';
import { Icon } from '../../../ui/icons';
import { NO_SIZE, type Role } from './draft';
import type { FieldsProps } from './fields';
import styles from './Submit.module.css';

const words = text.workloads.form;
const MOST = 8;

/** A gang of several kinds of replicas: all of them at once, or none. */
export function RoleFields({ draft, onDraft, wrong }: FieldsProps) {
    const { roles } = draft;
    const change = (index: number, to: Partial<Role>) =>
        onDraft({ roles: roles.map((role, at) => (at === index ? { ...role, ...to } : role)) });
    return (
        <>
            {roles.map((role, index) => {
                const at = (field: string) => wrong(`/spec/roles/${index}/${field}`);
                return (
                    <div
                        key={index}
                        className={styles.role}
                        role="group"
                        aria-label={`${words.role} ${role.name}`}
                    >
                        <TextInput
                            label={words.role}
                            value={role.name}
                            error={at('name')}
                            onChange={event => change(index, { name: event.currentTarget.value })}
                        />
                        <NumberInput
                            label={words.replicas}
                            min={1}
                            allowDecimal={false}
                            value={role.replicas}
                            error={at('replicas')}
                            onChange={replicas => change(index, { replicas })}
                        />
                        <NumberInput
                            label={words.gpu}
                            placeholder="0"
                            min={0}
                            decimalScale={3}
                            value={role.gpu}
                            error={at('resources/gpu')}
                            onChange={gpu => change(index, { gpu })}
                        />
                        <NumberInput
                            label={words.cpu}
                            placeholder="1"
                            min={0}
                            decimalScale={3}
                            value={role.cpu}
                            error={at('resources/cpu')}
                            onChange={cpu => change(index, { cpu })}
                        />
                        <TextInput
                            label={words.memory}
                            placeholder={words.memoryPlaceholder}
                            value={role.memory}
                            error={at('resources/memory')}
                            onChange={event => change(index, { memory: event.currentTarget.value })}
                        />
                        <ActionIcon
                            variant="default"
                            size={36}
                            aria-label={words.removeRole(role.name)}
                            disabled={roles.length <= 1}
                            onClick={() => onDraft({ roles: roles.filter((_, at) => at !== index) })}
                        >
                            <Icon name="minus" size={16} />
                        </ActionIcon>
                    </div>
                );
            })}
            <div>
                <Button
                    variant="default"
                    leftSection={<Icon name="plus" size={14} />}
                    disabled={roles.length >= MOST}
                    onClick={() =>
                        onDraft({
                            roles: [...roles, { ...NO_SIZE, name: `role${roles.length + 1}`, replicas: 1 }],
                        })
                    }
                >
                    {words.addRole}
                </Button>
            </div>
        </>
    );
}
