import { ActionIcon, Button } from '@mantine/core';
import { text } from '../../../texts';
import { DraftNumber, DraftText, SizeInputs } from '../../../ui/DraftFields';
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
                const at = `/spec/roles/${index}`;
                const of = { draft: role, wrong, onDraft: (to: Partial<Role>) => change(index, to) };
                return (
                    <div
                        key={index}
                        className={styles.role}
                        role="group"
                        aria-label={`${words.role} ${role.name}`}
                    >
                        <DraftText of={of} name="name" at={`${at}/name`} label={words.role} />
                        <DraftNumber
                            of={of}
                            name="replicas"
                            at={`${at}/replicas`}
                            label={words.replicas}
                            min={1}
                        />
                        <SizeInputs of={of} at={`${at}/resources`} words={{ ...words, gpuHint: undefined }} />
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
