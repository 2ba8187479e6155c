import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Problem } from '../../../api/problem';
import { dedicated, type ResourceConfig } from '../../../api/queries/dedicated';
import { text } from '../../../texts';
import { Facts } from '../../../ui/Facts';
import { AnchorLink, ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import styles from '../../tasks/detail/Task.module.css';
import { agreement, periodText, sizeText } from '../describe';
import { ConfigStateBadge } from '../StateBadge';
import { ConfigActions } from './ConfigActions';
import { Utilisation } from './ConfigsScreen';

const words = text.compute.config;
const names = words.facts;

/** One config: what was agreed, what it has now, how much of it is in use. */
export function ConfigScreen() {
    const { config: id } = useParams({ from: '/app/compute/$config' });
    const { data, error, refetch } = useQuery(dedicated.config(id));
    return (
        <Page
            title={
                <span className={styles.title}>
                    {id}
                    {data && <ConfigStateBadge state={data.state} />}
                </span>
            }
            about={data && agreement(data)}
            actions={
                <>
                    <ButtonLink to="/compute" variant="default">
                        {words.back}
                    </ButtonLink>
                    {data && <ConfigActions config={data} />}
                </>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined ? (
                !error && <Skeleton height={240} />
            ) : (
                <>
                    {data.state !== 'ended' && (
                        <Section title={words.utilisation}>
                            <Utilisation config={data} />
                        </Section>
                    )}
                    <Section>
                        <ConfigFacts config={data} />
                    </Section>
                </>
            )}
        </Page>
    );
}

function ConfigFacts({ config }: { config: ResourceConfig }) {
    const { byUsage, held } = config;
    const facts: [string, ReactNode][] = [
        [names.what, agreement(config)],
        [names.period, periodText(config)],
        [names.held, held ? sizeText(held.amount) : words.nothing],
        [names.used, sizeText(config.used)],
        [names.tasks, words.tasks(config.running, config.waiting)],
        [names.workspace, config.workspace],
        [names.by, config.by],
        [names.request, config.request],
        [
            names.supply,
            <AnchorLink key="supply" to="/quotas/$name" params={{ name: config.supply }}>
                {config.supply}
            </AnchorLink>,
        ],
        [names.lend, words.lends[config.lend ? 'true' : 'false']],
        [names.cap, words.percent(config.cap)],
        [names.threshold, byUsage?.threshold != null && words.percent(byUsage.threshold)],
        [names.wait, byUsage?.wait],
        [names.coolDown, byUsage?.coolDown],
        [names.ended, config.endedAt != null && <RelativeTime at={config.endedAt} />],
    ];
    return <Facts facts={facts.filter(([, value]) => value != null && value !== false && value !== '')} />;
}
