import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Problem } from '../../api/problem';
import { workspaces, type Workspace } from '../../api/queries/workspaces';
import { useSession } from '../../session/session';
import { useWorkspace } from '../../session/workspace';
import { text } from '../../texts';
import { Page } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { NotFound } from '../../ui/RouteError';
import { AuditView } from '../audit/AuditView';
import { MembersTab } from './members/MembersTab';
import { RoomChoice } from './RoomChoice';
import { TABS, type CenterSearch, type Tab } from './routes';
import { RulesTab } from './rules/RulesTab';
import { UsageTab } from './usage/UsageTab';
import styles from './Center.module.css';

const words = text.center;

/** The room that is chosen, the only one there is, or a choice. */
export function CenterScreen() {
    const chosen = useWorkspace();
    const { data, error, refetch } = useQuery(workspaces.list());
    if (data === undefined) {
        return (
            <Page title={words.title} about={words.about}>
                {error ? (
                    <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />
                ) : (
                    <Skeleton height={240} />
                )}
            </Page>
        );
    }
    const name = chosen ?? (data.length === 1 ? data[0]?.metadata.name : undefined);
    if (name === undefined) return <RoomChoice rooms={data} />;
    const room = data.find(one => one.metadata.name === name);
    return room ? <Room key={name} room={room} /> : <NotFound />;
}

function Room({ room }: { room: Workspace }) {
    const { name } = room.metadata;
    const search = useSearch({ from: '/app/center' });
    const navigate = useNavigate({ from: '/center' });
    const session = useSession();
    const tabs = TABS.filter(tab => tab !== 'audit' || session.may('audit:read', name));
    const tab: Tab = tabs.find(one => one === search.tab) ?? 'rules';
    const set = (part: CenterSearch) =>
        void navigate({ search: before => ({ ...before, ...part }), replace: true });
    return (
        <Page title={words.of(name)} about={room.spec.description || words.about}>
            <Tabs
                value={tab}
                keepMounted={false}
                onChange={next => void navigate({ search: ({ ws }) => ({ ws, tab: next as Tab }) })}
            >
                <Tabs.List aria-label={words.tabList}>
                    {tabs.map(one => (
                        <Tabs.Tab key={one} value={one}>
                            {words.tabs[one]}
                        </Tabs.Tab>
                    ))}
                </Tabs.List>
                <Tabs.Panel value="rules" className={styles.panel}>
                    <RulesTab room={room} quota={search.quota} onQuota={quota => set({ quota })} />
                </Tabs.Panel>
                <Tabs.Panel value="members" className={styles.panel}>
                    <MembersTab room={name} />
                </Tabs.Panel>
                <Tabs.Panel value="usage" className={styles.panel}>
                    <UsageTab room={name} span={search.span ?? 'hour'} onSpan={span => set({ span })} />
                </Tabs.Panel>
                <Tabs.Panel value="audit" className={styles.panel}>
                    <AuditView
                        room={name}
                        search={search}
                        onSearch={next =>
                            void navigate({
                                search: ({ ws }) => ({ ws, tab: 'audit', ...next }),
                                replace: true,
                            })
                        }
                    />
                </Tabs.Panel>
            </Tabs>
        </Page>
    );
}
