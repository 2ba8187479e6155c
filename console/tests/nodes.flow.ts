import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeTeams, makeWork } from './harness/teams';

const house = useHouse();

beforeAll(async () => {
    await makeTeams(house.server);
    await makeWork(house.server);
});
test('an administrator finds a node, cordons it, drains it after seeing who must leave, and takes it back', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/nodes');
    await visitor.logIn('admin');
    await page.getByText('16 nodes').waitFor();
    await page.getByLabel('Find a node, model or workload').fill('b-note');
    await page.waitForURL(/find=b-note/);
    const row = page.getByRole('row', { name: /local-4/ });
    await row.waitFor();
    await expect.poll(() => page.getByRole('row', { name: /local-\d+/ }).count()).toBe(1);
    await page.getByLabel('Find a node, model or workload').fill('');
    await page.getByText('16 nodes').waitFor();
    await visitor.look('nodes');

    // By keyboard into the detail.
    await page.getByRole('row', { name: /local-4/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'local-4' }).waitFor();
    await page.getByRole('row', { name: /^0 In service b-note Quota1\.1 team-b/ }).waitFor();
    await visitor.look('node');

    await page.getByRole('button', { name: 'Cordon', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody is evicted, nothing starts').waitFor();
    await dialog.getByLabel('Reason').fill('firmware');
    await dialog.getByRole('button', { name: 'Cordon', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Takes no work').waitFor();
    await page.getByText('firmware').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('1 node takes no new work').waitFor();
    await page.goBack();

    // A drain says who must leave. What is not chosen stays.
    await page.getByRole('button', { name: 'Drain' }).click();
    await dialog.getByText('1 workload will be evicted').waitFor();
    await dialog.getByText('rule: drain').waitFor();
    await visitor.look('node-drain');
    await dialog.getByLabel('Notebooks').uncheck();
    await dialog.getByText('Nobody is evicted').waitFor();
    await dialog.getByLabel('Notebooks').check();
    await dialog.getByText('1 workload will be evicted').waitFor();
    await dialog.getByRole('button', { name: 'Drain' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^0 In service free/ }).waitFor();
    const { items } = await house.server.call<{ items: { metadata: { name: string }; status: object }[] }>(
        'GET',
        '/api/v1/workloads?name=b-note',
    );
    expect(items[0]?.status).toMatchObject({ lastPreemption: { rule: 'drain' } });

    // What cannot be done says why.
    const drain = page.getByRole('button', { name: 'Drain' });
    await drain.hover();
    await page.getByText('Nothing runs there, and it takes no work already.').waitFor();

    await page.getByRole('button', { name: 'Uncordon' }).click();
    await dialog.getByRole('button', { name: 'Uncordon' }).click();
    await page.getByText('Ready', { exact: true }).waitFor();
    await visitor.close();
});

test('one GPU is taken out of service with a reason, and taken back', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/nodes/local-5');
    await visitor.logIn('admin');
    const device = page.locator('[data-device="7"]');
    await device.getByRole('button', { name: 'Take out of service' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Take out of service' });
    await dialog.getByText('Nobody is evicted').waitFor();
    await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel('Reason').fill('ECC errors');
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    await device.getByText('ECC errors').waitFor();
    await visitor.go('/');
    await page.getByRole('button', { name: 'local-5, GPU 7: out of service: ECC errors' }).waitFor();
    await page.getByText('1 out of service').waitFor();
    await visitor.go('/nodes/local-5');
    await device.getByRole('button', { name: 'Take back into service' }).click();
    await dialog.getByRole('button', { name: 'Take back into service' }).click();
    await device.getByText('In service').waitFor();

    // A node that guarantees need cannot be removed: the problem stands in the dialog.
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'The node is needed' }).waitFor();
    await visitor.close();
});

test('for members there are no nodes', async () => {
    const visitor = await house.visitor();
    await visitor.go('/nodes');
    await visitor.logIn('berta');
    await visitor.page.getByRole('alert').filter({ hasText: 'platform administrators' }).waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    await visitor.close();
});
