import { Badge, Button, Menu, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../api/problem';
import { roleChanges, type Role } from '../../../api/queries/people';
import { session } from '../../../api/queries/session';
import { isOfWorkspace } from '../../../session/session';
import { text } from '../../../texts';
import { Icon } from '../../../ui/icons';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RowMenu } from '../../../ui/RowMenu';
import { Bar } from '../Bar';
import { RoleDialog } from './RoleDialog';
import styles from './Roles.module.css';

const words = text.administration.role;

/** Which role includes which action, as a matrix. */
export function RolesSection() {
    const { data, error, refetch } = useQuery(session.roles());
    const [editing, setEditing] = useState<Role | 'new'>();
    const [change, setChange] = useState<PlannedChange>();
    const remove = ({ name }: Role) =>
        setChange({
            title: words.remove(name),
            confirm: words.remove(name),
            about: words.removeAbout,
            send: asked => roleChanges.remove(name, asked),
            moves: ['roles'],
        });
    const actions = data?.actions.filter(one => isOfWorkspace(one.action)) ?? [];
    return (
        <>
            <Bar about={words.about}>
                <Button
                    size="sm"
                    leftSection={<Icon name="plus" size={16} />}
                    onClick={() => setEditing('new')}
                >
                    {words.create}
                </Button>
            </Bar>
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <div
                    className={styles.frame}
                    tabIndex={0}
                    role="region"
                    aria-label={text.administration.sections.roles}
                >
                    <table className={styles.matrix}>
                        <thead>
                            <tr>
                                <th scope="col">{words.action}</th>
                                {data.items.map(role => (
                                    <th key={role.name} scope="col" className={styles.role}>
                                        <span>{role.name}</span>
                                        {role.builtIn ? (
                                            <Badge color="gray" size="xs">
                                                {words.builtIn}
                                            </Badge>
                                        ) : (
                                            <RowMenu label={text.administration.more(role.name)}>
                                                <Menu.Item onClick={() => setEditing(role)}>
                                                    {text.common.edit}
                                                </Menu.Item>
                                                <Menu.Item color="coral" onClick={() => remove(role)}>
                                                    {text.common.delete}
                                                </Menu.Item>
                                            </RowMenu>
                                        )}
                                    </th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {actions.map(({ action, about }) => (
                                <tr key={action}>
                                    <th scope="row">
                                        <code>{action}</code>
                                        <small>{about}</small>
                                    </th>
                                    {data.items.map(role => (
                                        <td key={role.name}>
                                            <Has isIn={role.actions.includes(action)} />
                                        </td>
                                    ))}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            <RoleDialog role={editing} actions={actions} onClose={() => setEditing(undefined)} />
            <PreviewDialog change={change} onClose={() => setChange(undefined)} />
        </>
    );
}

function Has({ isIn }: { isIn: boolean }) {
    return (
        <span className={isIn ? styles.has : styles.hasNot}>
            {isIn ? <Icon name="check" size={16} /> : <span aria-hidden="true">–</span>}
            <span className={styles.said}>{isIn ? words.may : words.mayNot}</span>
        </span>
    );
}
