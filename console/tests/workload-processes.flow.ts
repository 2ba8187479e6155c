import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('1x8', 'isolation = "none"\n', 'local'));

beforeAll(async () => {
    await choosePassword(house.server, 'admin');
});

afterAll(async () => {
    // Work outlives the server: it is ended first.
    const { items } = await house.server.call<{
        items: { metadata: { uid: string }; status: { state: string } }[];
    }>('GET', '/api/v1/workloads');
    for (const { metadata, status } of items)
        if (status.state === 'running')
            await house.server.call('POST', `/api/v1/workloads/${metadata.uid}:stop`);
    await new Promise(done => setTimeout(done, 500));
});

test('what a real process writes is followed, of each replica', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/workloads/new');
    await visitor.logIn('admin');
    await page.getByLabel('Name', { exact: true }).fill('counts');
    await page.getByRole('textbox', { name: 'Replicas' }).fill('2');
    await page
        .getByLabel('Command')
        .fill(`sh -c 'i=0; while :; do i=$((i+1)); echo "step $i of $TIDEGATE_REPLICA"; sleep 0.1; done'`);
    await page.getByLabel('Grace period').fill('0s');
    const verdict = page.getByTestId('verdict');
    await verdict.getByRole('heading', { name: 'Would start now' }).waitFor();
    await verdict.getByText('on local-0').waitFor();
    await visitor.look('workload-form-starts');
    await verdict.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Running', { exact: true }).first().waitFor();

    await page.getByRole('tab', { name: 'Logs' }).click();
    const log = page.getByRole('log');
    await log.getByText('step 3 of 1').waitFor();
    // It goes on by itself, and stays at the end.
    const count = async () =>
        Math.max(
            ...(await log.innerText()).split('\n').map(line => Number(/step (\d+)/.exec(line)?.[1] ?? 0)),
        );
    const before = await count();
    await expect.poll(count, { timeout: 15_000 }).toBeGreaterThan(before + 30);
    await visitor.look('workload-logs');
    // Whoever scrolls up is left where they are.
    await log.evaluate(element => element.scrollTo(0, 0));
    await expect.poll(() => page.getByLabel('Follow').isChecked()).toBe(false);
    await log.getByText('step 1 of 0').waitFor();
    await page.waitForTimeout(600);
    await expect.poll(() => log.evaluate(element => element.scrollTop)).toBe(0);

    await page.getByRole('combobox', { name: 'Replica' }).click();
    await page.getByRole('option', { name: 'Replica 1' }).click();
    await log.getByText(/of 1$/).first().waitFor();
    await expect.poll(() => log.getByText(/of 0$/).count()).toBe(0);
    await expect.poll(() => new URL(page.url()).searchParams.get('replica')).toBe('1');

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByTestId('preview').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('This is all: it has ended.').waitFor();
    await visitor.close();
});

test('a service is opened in a window of its own, by a link that works once', async () => {
    const program = `require('http').createServer((q, a) => a.end('the tide is in')).listen(process.env.PORT, '127.0.0.1')`;
    await house.server.call('POST', '/api/v1/workloads', {
        metadata: { name: 'web' },
        spec: {
            module: 'service',
            workspace: 'default',
            gracePeriod: '0s',
            command: ['node', '-e', program],
        },
    });
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/workloads/web');
    await visitor.logIn('admin');
    await page
        .getByRole('row', { name: /local-0/ })
        .getByText('ready', { exact: true })
        .waitFor();
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Open' }).click();
    const app = await opened;
    await app.getByText('the tide is in').waitFor();
    expect(new URL(app.url()).port).not.toBe(new URL(house.server.url).port);
    expect(await app.evaluate(() => window.opener === null)).toBe(true);
    await app.close();
    await visitor.look('workload-service');
    await page.getByRole('tab', { name: 'Monitoring' }).click();
    await page.getByRole('heading', { name: 'Replicas, GPUs' }).waitFor();
    await visitor.look('workload-measured');
    await visitor.close();
});
