import { Badge, Group, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { userChanges, type Invitation, type User } from '../../../api/queries/people';
import { text } from '../../../texts';
import type { PlannedChange } from '../../../ui/PreviewDialog';
import { RowMenu } from '../../../ui/RowMenu';
import type { Column } from '../../../ui/table';

const words = text.administration.user;

interface Wishes {
    onChange(change: PlannedChange): void;
    onInvited(invitation: Invitation): void;
    onProblem(problem: Problem): void;
}

export function userColumns(self: string, wishes: Wishes): Column<User>[] {
    const names = words.columns;
    return [
        {
            id: 'name',
            header: names.name,
            width: '20%',
            cell: user => (
                <span>
                    <strong>{user.metadata.name}</strong>
                    {user.metadata.name === self && ` (${words.self})`}
                </span>
            ),
        },
        { id: 'rights', header: names.rights, width: '20%', cell: user => <Rights user={user} /> },
        { id: 'entrance', header: names.entrance, width: '20%', cell: entrance },
        {
            id: 'rooms',
            header: names.rooms,
            cell: user => user.status.workspaces.map(one => words.inRoom(one.workspace, one.role)).join(', '),
        },
        {
            id: 'actions',
            header: text.common.actions,
            hideHeader: true,
            align: 'right',
            width: '3rem',
            cell: user => <UserMenu user={user} isSelf={user.metadata.name === self} wishes={wishes} />,
        },
    ];
}

function Rights({ user }: { user: User }) {
    return (
        <Group gap={6}>
            {user.spec.platformAdmin && <Badge color="tide">{words.administrator}</Badge>}
            {user.status.serviceAccountOf != null && <Badge color="gray">{words.account}</Badge>}
            {user.spec.disabled && <Badge color="coral">{words.disabled}</Badge>}
        </Group>
    );
}

function entrance({ status }: User): string {
    if (status.provider != null) return status.provider;
    if (status.password) return words.entrance.password;
    return status.serviceAccountOf != null ? words.entrance.token : words.entrance.none;
}

function UserMenu({ user, isSelf, wishes }: { user: User; isSelf: boolean; wishes: Wishes }) {
    const { name } = user.metadata;
    const { platformAdmin = false, disabled = false } = user.spec;
    const isPerson = user.status.serviceAccountOf == null;
    const plan = (title: string, spec: User['spec'], about?: string) =>
        wishes.onChange({
            title,
            confirm: title,
            about,
            send: asked => userChanges.set(name, { platformAdmin, disabled, ...spec }, asked),
            moves: ['users', 'tokens'],
        });
    const invite = () =>
        void userChanges
            .invite(name)
            .then(wishes.onInvited, thrown => wishes.onProblem(Problem.from(thrown)));
    return (
        <RowMenu label={text.administration.more(name)}>
            {isPerson && !disabled && <Menu.Item onClick={invite}>{words.invite}</Menu.Item>}
            <Menu.Item
                renderRoot={props => <Link {...props} to="/administration/tokens" search={{ user: name }} />}
            >
                {words.tokens}
            </Menu.Item>
            {isPerson && !isSelf && (
                <Menu.Item
                    onClick={() =>
                        platformAdmin
                            ? plan(words.change.noAdmin(name), { platformAdmin: false })
                            : plan(words.change.admin(name), { platformAdmin: true }, words.form.adminHint)
                    }
                >
                    {platformAdmin ? words.takeAdmin : words.makeAdmin}
                </Menu.Item>
            )}
            {!isSelf && (
                <>
                    <Menu.Divider />
                    {disabled ? (
                        <Menu.Item
                            onClick={() =>
                                plan(words.change.enable(name), { disabled: false }, words.change.enableAbout)
                            }
                        >
                            {words.enable}
                        </Menu.Item>
                    ) : (
                        <Menu.Item
                            color="coral"
                            onClick={() =>
                                plan(
                                    words.change.disable(name),
                                    { disabled: true },
                                    words.change.disableAbout,
                                )
                            }
                        >
                            {words.disable}
                        </Menu.Item>
                    )}
                    <Menu.Item
                        color="coral"
                        onClick={() =>
                            wishes.onChange({
                                title: words.change.remove(name),
                                confirm: words.change.remove(name),
                                about: words.change.removeAbout,
                                send: asked => userChanges.remove(name, asked),
                                moves: ['users', 'tokens', 'workspaces'],
                            })
                        }
                    >
                        {words.remove}
                    </Menu.Item>
                </>
            )}
        </RowMenu>
    );
}
