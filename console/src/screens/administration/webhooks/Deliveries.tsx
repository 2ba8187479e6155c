import { Alert, Badge, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { webhookChanges, webhooks, type Delivery, type Webhook } from '../../../api/queries/webhooks';
import { text } from '../../../texts';
import { figure } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';

const words = text.administration.delivery;
const COLORS: Record<Delivery['state'], string> = { pending: 'sand', delivered: 'tide', dead: 'coral' };

/** What a webhook was told, what is on its way, and what was given up. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
    const { workspace, name } = webhook;
    const { dead = false } = useSearch({ from: '/app/administration/webhooks' });
    const navigate = useNavigate({ from: '/administration/webhooks' });
    const client = useQueryClient();
    const { data, error, refetch } = useQuery(webhooks.deliveries(workspace, name));
    const [problem, setProblem] = useState<Problem>();
    const [tested, setTested] = useState<Schema<'WebhookTest'>>();
    const [isTesting, setTesting] = useState(false);

    const test = async () => {
        setTesting(true);
        setTested(undefined);
        setProblem(undefined);
        try {
            setTested(await webhookChanges.test(workspace, name));
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        } finally {
            setTesting(false);
        }
    };
    const retry = async (one: Delivery) => {
        setProblem(undefined);
        try {
            await webhookChanges.retry(workspace, name, one.id);
            await client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', workspace, name] });
        } catch (thrown) {
            setProblem(Problem.from(thrown));
        }
    };
    const rows = data?.filter(one => !dead || one.state === 'dead');
    return (
        <Stack gap="sm" w="100%">
            <Group justify="space-between">
                <Title order={2} size="h5">
                    {words.title(name)}
                </Title>
                <Group gap="xs">
                    <SegmentedControl
                        size="xs"
                        aria-label={words.show}
                        value={dead ? 'dead' : 'all'}
                        onChange={value =>
                            void navigate({
                                search: before => ({ ...before, dead: value === 'dead' ? true : undefined }),
                                replace: true,
                            })
                        }
                        data={[
                            { value: 'all', label: words.all },
                            { value: 'dead', label: words.dead },
                        ]}
                    />
                    <Button variant="default" loading={isTesting} onClick={() => void test()}>
                        {text.administration.webhook.test}
                    </Button>
                </Group>
            </Group>
            {tested && <Tested tested={tested} />}
            <ProblemAlert
                problem={problem ?? (error && Problem.from(error))}
                onRetry={problem ? undefined : () => void refetch()}
            />
            {rows && (
                <DataTable
                    label={words.title(name)}
                    columns={columns(one => void retry(one))}
                    rows={rows}
                    rowKey={one => one.id}
                    empty={
                        <Text size="sm" c="dimmed">
                            {dead ? words.noDead : words.empty}
                        </Text>
                    }
                />
            )}
        </Stack>
    );
}

function Tested({ tested }: { tested: Schema<'WebhookTest'> }) {
    const { tested: said } = text.administration.webhook;
    const status = tested.status == null ? '' : String(tested.status);
    return (
        <Alert color={tested.delivered ? 'tide' : 'coral'} role="status">
            {tested.delivered ? said.delivered(status) : said.failed(tested.error ?? status)}
        </Alert>
    );
}

function columns(retry: (delivery: Delivery) => void): Column<Delivery>[] {
    const names = words.columns;
    return [
        { id: 'at', header: names.at, cell: one => <RelativeTime at={one.at} /> },
        { id: 'event', header: names.event, cell: one => one.event },
        { id: 'workload', header: names.workload, cell: one => one.workload },
        {
            id: 'state',
            header: names.state,
            cell: one => <Badge color={COLORS[one.state]}>{words.states[one.state]}</Badge>,
        },
        { id: 'tries', header: names.tries, align: 'right', cell: one => figure(one.tries) },
        { id: 'error', header: names.error, width: '28%', cell: one => one.lastError ?? '' },
        {
            id: 'next',
            header: names.next,
            cell: one => one.nextTryAt != null && <RelativeTime at={one.nextTryAt} />,
        },
        {
            id: 'retry',
            header: words.retry,
            hideHeader: true,
            align: 'right',
            cell: one =>
                one.state === 'dead' && (
                    <Button variant="default" onClick={() => retry(one)}>
                        {words.retry}
                    </Button>
                ),
        },
    ];
}
