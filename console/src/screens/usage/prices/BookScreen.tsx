import { Badge, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { prices } from '../../../api/queries/metering';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { ButtonLink } from '../../../ui/links';
import { Page, Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import { minute } from '../../../ui/time';
import { stateOf, type VersionState } from './model';
import { TariffTable } from './TariffTable';

const words = text.bills.prices;
const COLORS: Record<VersionState, string> = { past: 'gray', inForce: 'tide', coming: 'sand' };

/** One price book: all of its versions, the latest first. */
export function BookScreen() {
    const { book: name } = useParams({ from: '/app/usage/prices/$book' });
    const session = useSession();
    const { data, error, refetch } = useQuery(prices.one(name));
    const now = Date.now();
    return (
        <Page
            title={name}
            about={data && words.perHour(data.spec.currency)}
            actions={
                <>
                    <ButtonLink to="/usage/prices" variant="default">
                        {words.back}
                    </ButtonLink>
                    <DisabledReason reason={session.may('price:update') ? undefined : words.denied}>
                        <ButtonLink to="/usage/prices/$book/edit" params={{ book: name }}>
                            {words.newVersion}
                        </ButtonLink>
                    </DisabledReason>
                </>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} onRetry={() => void refetch()} />
            {data === undefined && !error && <Skeleton height={240} />}
            {data?.status.versions.toReversed().map(version => {
                const state = stateOf(version, now);
                const to = version.validTo == null ? undefined : minute(Date.parse(version.validTo));
                const validity = words.validity(minute(Date.parse(version.validFrom)), to);
                return (
                    <Section
                        key={version.validFrom}
                        title={validity}
                        actions={
                            <Group gap="xs">
                                <Text size="sm" c="dimmed">
                                    {words.setAt} <RelativeTime at={version.setAt} />
                                </Text>
                                <Badge color={COLORS[state]}>{words.states[state]}</Badge>
                            </Group>
                        }
                    >
                        <TariffTable prices={version.prices} />
                    </Section>
                );
            })}
        </Page>
    );
}
