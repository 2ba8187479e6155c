import { Group, Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { Problem } from '../../api/problem';
import { quotas, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { ButtonLink } from '../../ui/links';
import { Page } from '../../ui/Page';
import { ProblemAlert } from '../../ui/ProblemAlert';
import { TideBar } from '../../ui/TideBar';
import { BooksTab } from './BooksTab';
import { MonitoringTab } from './MonitoringTab';
import { NodesTab } from './NodesTab';
import { OverviewTab } from './OverviewTab';
import { QuotaActions } from './QuotaActions';
import { isTab, TABS, type Tab } from './tabs';
import { UsersTab } from './UsersTab';
import { WorkloadsTab } from './WorkloadsTab';
import { tideOf } from './model';

const words = text.quotas;

const CONTENT: Record<Tab, (props: { quota: Quota }) => ReactNode> = {
    overview: OverviewTab,
    nodes: NodesTab,
    workloads: WorkloadsTab,
    users: UsersTab,
    monitoring: MonitoringTab,
    books: BooksTab,
};

/** One quota: its account, who uses it, how it got there. */
export function QuotaScreen() {
    const { name } = useParams({ from: '/app/quotas/$name' });
    const { tab = 'overview' } = useSearch({ from: '/app/quotas/$name' });
    const navigate = useNavigate({ from: '/quotas/$name' });
    const { data: quota, error, refetch } = useQuery(quotas.one(name));
    const Content = CONTENT[tab];
    return (
        <Page
            title={name}
            about={quota && <Path quota={quota} />}
            actions={
                <Group gap="xs">
                    <ButtonLink to="/quotas" variant="default">
                        {words.all}
                    </ButtonLink>
                    {quota && (
                        <QuotaActions quota={quota} onDeleted={() => void navigate({ to: '/quotas' })} />
                    )}
                </Group>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {quota === undefined ? (
                !error && <Skeleton height={300} />
            ) : (
                <>
                    <TideBar name={name} tide={tideOf(quota)} />
                    <Tabs
                        value={tab}
                        keepMounted={false}
                        onChange={next =>
                            void navigate({
                                search: before => ({ ...before, tab: isTab(next) ? next : undefined }),
                                replace: true,
                            })
                        }
                    >
                        <Tabs.List aria-label={name}>
                            {TABS.map(one => (
                                <Tabs.Tab key={one} value={one}>
                                    {words.tabs[one]}
                                </Tabs.Tab>
                            ))}
                        </Tabs.List>
                        <Tabs.Panel value={tab} pt="md">
                            <Suspense fallback={<Skeleton height={240} />}>
                                <Content quota={quota} />
                            </Suspense>
                        </Tabs.Panel>
                    </Tabs>
                </>
            )}
        </Page>
    );
}

/** Where in the tree it stands. Members see of what is above no more than its name and guarantee. */
function Path({ quota }: { quota: Quota }) {
    const above = quota.status.ancestors?.map(one => one.name) ?? [];
    return [quota.status.pool, ...above, quota.metadata.name].join(' / ');
}
