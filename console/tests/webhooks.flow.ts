import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeQuota, makeUser, makeWorkspace, submit } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('16x8', 'webhook-allow-private = true\n'));
let receiver: Server;
let received: string[] = [];
let answers = 200;

beforeAll(async () => {
    receiver = createServer((request, response) => {
        let body = '';
        request.on('data', piece => (body += String(piece)));
        request.on('end', () => {
            received.push(body);
            response.writeHead(answers).end();
        });
    });
    await new Promise<void>(done => receiver.listen(0, '127.0.0.1', done));
    await makeQuota(house.server, 'vision-gpus', { parent: 'main', guarantee: { gpu: 16 } });
    await makeWorkspace(house.server, 'vision', ['vision-gpus']);
    await makeUser(house.server, 'berta', { vision: 'owner' });
});

afterAll(async () => {
    receiver?.close();
});

const dialog = (page: Page) => page.getByRole('dialog');
const secretOf = (page: Page, label: string) => page.getByTestId('secret').getByLabel(label).inputValue();

test('a webhook is made and tested, its deliveries are shown, and a dead letter is sent again', async () => {
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/tidegate`;
    const berta = await house.enter('berta', '/administration/webhooks');
    const { page } = berta;
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog(page).getByLabel('Name').fill('chat');
    await dialog(page).getByLabel('Address').fill('ftp://somewhere');
    await page.getByRole('button', { name: 'Save the webhook' }).click();
    await dialog(page).getByText(/http/).first().waitFor();
    await dialog(page).getByLabel('Address').fill(address);
    await page.getByRole('button', { name: 'Save the webhook' }).click();
    expect(await secretOf(page, 'Secret')).toMatch(/^tgh_/);
    await page.getByRole('button', { name: 'I have kept it' }).click();

    await page.getByRole('button', { name: 'Deliveries' }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The address took the test (200).').waitFor();
    expect(received.length).toBeGreaterThan(0);
    received = [];
    await submit(house.server, 'short', {
        quota: 'vision-gpus',
        workspace: 'vision',
        resources: { gpu: 1 },
        virtual: { duration: '100ms' },
    });
    await page.getByRole('row', { name: /finished short Delivered/ }).waitFor();
    expect(received.some(body => body.includes('"finished"'))).toBe(true);

    answers = 500;
    await submit(house.server, 'unheard', {
        quota: 'vision-gpus',
        workspace: 'vision',
        resources: { gpu: 1 },
        virtual: { duration: '100ms' },
    });
    await page.getByRole('row', { name: /finished unheard Pending 1/ }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The address did not take the test').waitFor();
    await berta.look('administration-webhooks');
    await page.getByText('Dead letters').click();
    await page.getByText('No dead letters').waitFor();

    // Ten tries take a day: they are told as if they had been made.
    await page.route('**/webhooks/chat/deliveries*', async route => {
        const response = await route.fetch();
        const list = (await response.json()) as { items: Record<string, unknown>[] };
        for (const one of list.items)
            if (one.state === 'pending') Object.assign(one, { state: 'dead', tries: 10, nextTryAt: null });
        await route.fulfill({ response, json: list });
    });
    await page.reload();
    const dead = page.getByRole('row', { name: /finished unheard Dead 10/ });
    await dead.waitFor();
    await berta.look('administration-dead-letter');
    answers = 200;
    received = [];
    await dead.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => received.some(body => body.includes('"unheard"'))).toBe(true);
    await page.getByText('All', { exact: true }).click();
    await page.getByRole('row', { name: /finished unheard Delivered/ }).waitFor();
    await page.getByText('Dead letters').click();
    await page.getByText('No dead letters').waitFor();
    await berta.close();
});
