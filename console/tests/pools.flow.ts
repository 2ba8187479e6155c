import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, submit } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('1x4'));

beforeAll(async () => {
    await choosePassword(house.server, 'admin');
});

const preview = (page: Page) => page.getByTestId('preview');
const pools = (page: Page) => page.getByRole('table', { name: 'Pools' });

test('a pool is created with its nodes, and one more is added to another, each with a preview', async () => {
    const admin = await house.enter('admin', '/nodes');
    const { page } = admin;
    await pools(page)
        .getByRole('row', { name: /^local 1 ready 0 of 4 virtual 4 virtual/ })
        .waitFor();
    await page.getByRole('button', { name: 'New pool' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('h100');
    await dialog.getByRole('textbox', { name: 'Nodes', exact: true }).fill('2');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
        .getByText(/need a GPU model/)
        .first()
        .waitFor();
    await dialog.getByLabel('GPU model').fill('H100');
    await dialog.getByLabel('Memory per node').fill('much');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await expect.poll(() => dialog.getByLabel('Memory per node').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Memory per node').fill('256Gi');
    await admin.look('pool-form');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await preview(page).getByText('h100 has 2 nodes with 8 GPUs each.').waitFor();
    await preview(page).getByRole('button', { name: 'Create the pool' }).click();
    await pools(page)
        .getByRole('row', { name: /^h100 2 ready 0 of 16 H100 16 H100 0 none/ })
        .waitFor();
    await page.getByText('3 nodes').waitFor();
    await page.getByRole('row', { name: /h100-1/ }).waitFor();
    const { spec } = await house.server.call<{ spec: object }>('GET', '/api/v1/nodes/h100-0');
    expect(spec).toMatchObject({ pool: 'h100', gpus: 8, model: 'H100', memory: '256Gi' });

    // What is used is seen as it happens.
    await submit(house.server, 'fill', { quota: 'main', resources: { gpu: 4 } });
    await pools(page)
        .getByRole('row', { name: /^local 1 ready 4 of 4 virtual 0 virtual/ })
        .waitFor();
    await page.getByRole('link', { name: 'local', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('pool')).toBe('local');
    await page.getByRole('button', { name: 'Add a node' }).click();
    await dialog.getByLabel('Name').fill('local-9');
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Pool' }).inputValue()).toBe('local');
    await dialog.getByLabel('GPUs per node').fill('4');
    await dialog.getByLabel('GPU model').fill('virtual');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await preview(page).getByText('local-9 becomes a part of local, with 4 GPUs.').waitFor();
    await admin.look('node-add');
    await preview(page).getByRole('button', { name: 'Add the node' }).click();
    await pools(page)
        .getByRole('row', { name: /^local 2 ready 4 of 8 virtual 4 virtual/ })
        .waitFor();
    await page.getByRole('row', { name: /local-9/ }).waitFor();
    await admin.look('pools');
    await page.getByRole('button', { name: 'Add a node' }).click();
    await dialog.getByLabel('Name').fill('local-9');
    await dialog.getByLabel('GPU model').fill('virtual');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
        .getByText(/local-9/)
        .first()
        .waitFor();
    await dialog.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await admin.close();
});
