import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { users } from '../../../api/queries/people';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { useAccounts } from '../accounts/accounts';
import { Bar } from '../Bar';
import { TokenList } from './TokenList';

const words = text.administration.token;

/** Tokens of somebody that one looks after: oneself, programs of one's rooms, for administrators everybody. */
export function TokensSection() {
    const { user } = useSearch({ from: '/app/administration/tokens' });
    const navigate = useNavigate({ from: '/administration/tokens' });
    const session = useSession();
    const everybody = useQuery({ ...users.list(), enabled: session.administrator });
    const accounts = useAccounts();
    const names = session.administrator
        ? everybody.data?.map(one => one.metadata.name)
        : accounts.data?.map(one => one.name);
    const shown = user ?? session.user;
    return (
        <>
            <Bar about={words.about} />
            <TokenList
                key={shown}
                user={shown}
                chooser={
                    <Select
                        label={words.whose}
                        searchable
                        allowDeselect={false}
                        data={[...new Set([session.user, shown, ...(names ?? [])])]}
                        value={shown}
                        onChange={value =>
                            void navigate({
                                search: before => ({
                                    ...before,
                                    user: value === session.user || value === null ? undefined : value,
                                }),
                            })
                        }
                    />
                }
            />
        </>
    );
}
