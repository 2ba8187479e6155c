import {
    Avatar,
    Menu,
    SegmentedControl,
    Text,
    UnstyledButton,
    useMantineColorScheme,
    type MantineColorScheme,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { sessionChanges } from '../api/queries/session';
import { useSession } from '../session/session';
import { text } from '../texts';
import { Icon } from './icons';

const words = text.shell;

/** Oneself, the colors, and the way out. */
export function AccountMenu() {
    const { user, administrator } = useSession();
    const { colorScheme, setColorScheme } = useMantineColorScheme();
    const client = useQueryClient();
    const navigate = useNavigate();
    const logOut = async () => {
        // However it ends, this browser forgets.
        await sessionChanges.logOut().catch(() => undefined);
        await navigate({ to: '/login', search: {} });
        client.clear();
    };
    return (
        <Menu position="bottom-end" width={240}>
            <Menu.Target>
                <UnstyledButton aria-label={`${words.account}: ${user}`}>
                    <Avatar size={30} radius="xl" color="tide" variant="filled">
                        <Icon name="administration" />
                    </Avatar>
                </UnstyledButton>
            </Menu.Target>
            <Menu.Dropdown>
                <Menu.Label>
                    <Text size="sm" fw={600}>
                        {user}
                    </Text>
                    {administrator && <Text size="xs">{words.administrator}</Text>}
                </Menu.Label>
                <Menu.Item component={Link} to="/profile">
                    {words.profile}
                </Menu.Item>
                <Menu.Divider />
                <Menu.Label>{words.theme.label}</Menu.Label>
                <SegmentedControl
                    fullWidth
                    size="xs"
                    aria-label={words.theme.label}
                    value={colorScheme}
                    onChange={value => setColorScheme(value as MantineColorScheme)}
                    data={[
                        { value: 'light', label: words.theme.light },
                        { value: 'dark', label: words.theme.dark },
                        { value: 'auto', label: words.theme.auto },
                    ]}
                />
                <Menu.Divider />
                <Menu.Item onClick={() => void logOut()}>{words.logOut}</Menu.Item>
            </Menu.Dropdown>
        </Menu>
    );
}
