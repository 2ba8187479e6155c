import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('2x8'));

/** For one GPU and second: 1 reserved, 2 by usage. */
const PRICES = { reserved: 3_600, byUsage: 7_200 };
const SECOND_MS = 1_000;

beforeAll(async () => {
    const { server } = house;
    await choosePassword(server, 'admin');
    await makeQuota(server, 'reserve', { parent: 'main', guarantee: { gpu: 8 }, dedicated: true });
    await makeWorkspace(server, 'team-b');
    await makeUser(server, 'berta', { 'team-b': 'owner' });
    await server.call('POST', '/api/v1/templates', {
        metadata: { name: 'render' },
        spec: { resources: { gpu: 1 } },
    });
    const tariff = (gpu: number) => ({ gpu: { virtual: String(gpu) }, cpu: '0', memory: '0' });
    await server.call('POST', '/api/v1/prices', {
        metadata: { name: 'default' },
        spec: {
            currency: 'EUR',
            validFrom: '2026-01-01T00:00:00Z',
            prices: { reserved: tariff(PRICES.reserved), byUsage: tariff(PRICES.byUsage) },
        },
    });
    const ask = (body: object) =>
        server.call('POST', '/api/v1/resource-requests', {
            workspace: 'team-b',
            reason: 'the show',
            ...body,
        });
    const end = new Date(Date.now() + 3_600 * SECOND_MS).toISOString();
    await ask({ reserved: { size: { gpu: 2 }, end } });
    await ask({ byUsage: { maximum: { gpu: 2 }, step: { gpu: 1 }, coolDown: '1s' } });
});

const lines = (page: Page) => page.getByRole('table', { name: 'Lines' }).getByRole('row');

async function approve(page: Page, request: string, config: string): Promise<void> {
    const row = page.getByRole('row', { name: new RegExp(`^${request}`) });
    await row.getByRole('button', { name: 'Approve' }).click();
    await page.getByTestId('preview').getByRole('button', { name: 'Approve' }).click();
    await row.getByRole('link', { name: config }).waitFor();
}

/** Runs a task of two seconds there, to its end. */
async function runOn(config: string): Promise<void> {
    const { id } = await house.server.call<{ id: string }>(
        'POST',
        '/api/v1/tasks',
        { template: 'render', workspace: 'team-b', virtual: { duration: '2s' } },
        { 'X-Tidegate-Resource-Config': config },
    );
    const state = async () =>
        (await house.server.call<{ state: string }>('GET', `/api/v1/tasks/${id}`)).state;
    await expect.poll(state, { timeout: 30_000 }).toBe('succeeded');
}

test('what was reserved is charged used or not, by usage what it had; each line down to its records', async () => {
    const admin = await house.enter('admin', '/compute/requests');
    await approve(admin.page, 'rr-0', 'rc-0');
    await approve(admin.page, 'rr-1', 'rc-1');
    await Promise.all([runOn('rc-0'), runOn('rc-1')]);
    // Released, nothing grows any more: figures can be compared.
    for (const config of ['rc-0', 'rc-1'])
        await house.server.call('POST', `/api/v1/resource-configs/${config}:release`);
    await admin.close();

    const berta = await house.enter('berta', '/usage/bills?ws=team-b');
    const { page } = berta;
    let due = 0;
    for (const [config, mode, price] of [
        ['rc-0', 'Reserved', PRICES.reserved],
        ['rc-1', 'By usage', PRICES.byUsage],
    ] as const) {
        // Work there is part of its capacity, and no line.
        const line = lines(page).filter({ hasText: config }).filter({ hasText: mode });
        await line.filter({ hasText: `gpu:virtual` }).waitFor();
        expect(await line.count(), config).toBe(1);
        const cost = Number((await line.getByRole('cell').last().innerText()).replaceAll(',', ''));
        due += cost;
        await line.getByRole('button').click();
        const records = page.getByTestId('line-records');
        await records.getByText(/come?s? to .* hours, exactly/).waitFor();
        await records.getByRole('link', { name: config }).first().waitFor();
        expect(await records.getByText('goes on').count()).toBe(0);
        // The statement is what the records say, at the price.
        const { items } = await house.server.call<{
            items: { config?: string; kind: string; resource: string; quantity: string }[];
        }>('GET', '/api/v1/usage/records?workspace=team-b&limit=1000');
        const capacity = items.filter(
            one => one.config === config && one.kind === 'capacity' && one.resource === 'gpu:virtual',
        );
        expect(await records.getByRole('table').getByRole('row').count()).toBe(capacity.length + 1);
        const seconds = capacity.reduce((sum, one) => sum + Number(one.quantity), 0) / SECOND_MS / 1_000;
        expect(seconds).toBeGreaterThan(1.9);
        expect(cost).toBeCloseTo((seconds * price) / 3_600, 2);
        await berta.look(`bills-${config}`);
    }
    await page.getByText(due.toFixed(2), { exact: false }).first().waitFor();
    await page.getByTestId('line-records').getByRole('link', { name: 'rc-1' }).first().click();
    await page.getByRole('heading', { name: /rc-1/ }).waitFor();
    await berta.close();
});
