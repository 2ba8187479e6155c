import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { Visitor } from './harness/browser';
import { useHouse } from './harness/house';
import { choosePassword, makeUser, submit } from './harness/people';

const house = useHouse();
let admin: Visitor;
let page: Page;

beforeAll(async () => {
    await choosePassword(house.server, 'admin');
    admin = await house.visitor();
    page = admin.page;
    await admin.go('/quotas');
    await admin.logIn('admin');
    await page.getByRole('treegrid').waitFor();
});

const row = (name: string) => page.getByRole('row', { name: new RegExp(name.replace('.', '\\.')) }).first();

async function act(quota: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions of ${quota}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
}

/** The button of the preview that does it, once the server has said what would happen. */
async function apply(button: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByTestId('preview').waitFor();
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await expect.poll(() => dialog.count(), { timeout: 15_000 }).toBe(0);
}

async function newChild(parent: string, name: string, gpus: number): Promise<void> {
    await act(parent, 'New child');
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByLabel('GPUs').fill(String(gpus));
    await page.getByRole('button', { name: 'Preview' }).click();
    await apply('Create');
    await row(name).getByText(`0 / ${gpus}`).waitFor();
}

test('three quotas are created by mouse, and what is wrong is said at its field', async () => {
    await newChild('main', 'Quota1', 128);
    await newChild('Quota1', 'Quota1.1', 48);
    await act('Quota1', 'New child');
    await page.getByRole('dialog').getByLabel('Name').fill('Quota1.2');
    await page.getByRole('dialog').getByLabel('GPUs').fill('500');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').waitFor();
    await admin.look('quota-refused');
    await page.getByRole('dialog').getByLabel('GPUs').fill('80');
    await page.getByRole('button', { name: 'Preview' }).click();
    await apply('Create');
    await row('Quota1.2').getByText('0 / 80').waitFor();
});

test('child-level preemption is switched on', async () => {
    await page.getByRole('link', { name: 'Quota1', exact: true }).click();
    await page.getByRole('heading', { name: 'Quota1', exact: true }).waitFor();
    await page.getByRole('switch', { name: 'Child-level preemption' }).click();
    await page.getByLabel('Priorities that may be evicted').fill('1-x');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('is not a set of priorities').first().waitFor();
    await page.getByLabel('Priorities that may be evicted').fill('1-3');
    await page.getByRole('button', { name: 'Preview' }).click();
    await apply('Save');
    await page.getByRole('cell', { name: /childLevel\.victims\.priorities/ }).waitFor();
    const { spec } = await house.server.call<{ spec: { preemption: unknown } }>(
        'GET',
        '/api/v1/quotas/Quota1',
    );
    expect(spec.preemption).toMatchObject({ childLevel: { victims: { priorities: '1-3' } } });
});

test('eight GPUs are transferred, and the preview names who must leave', async () => {
    for (const [name, replicas] of [
        ['c1', 9],
        ['c2', 1],
    ] as const) {
        await submit(house.server, name, { quota: 'Quota1.2', priority: 2, replicas, resources: { gpu: 8 } });
    }
    await page.getByRole('link', { name: 'All quotas' }).click();
    await row('Quota1.2').getByText('80 / 80').waitFor();
    await act('Quota1.2', 'Transfer');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'To' }).click();
    await page.getByRole('option', { name: 'Quota1.1' }).click();
    await dialog.getByLabel('GPUs').fill('8');
    await dialog.getByLabel('Evict').check();
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('1 workload will be evicted').waitFor();
    await page.getByTestId('preview').getByText('c2').first().waitFor();
    await admin.look('quota-transfer-preview');
    await apply('Transfer');
    await row('Quota1.1').getByText('/ 56').waitFor();
    await row('Quota1.2').getByText('72 / 72').waitFor();
});

test('whoever was slower sees both versions', async () => {
    await page.getByRole('link', { name: 'Quota1.1', exact: true }).click();
    await page.getByRole('switch', { name: 'Idle sharing' }).click();
    const { metadata, spec } = await house.server.call<{ metadata: { version: string }; spec: object }>(
        'GET',
        '/api/v1/quotas/Quota1.1',
    );
    const theirs = { metadata: { name: 'Quota1.1' }, spec: { ...spec, protectFor: '10m' } };
    await house.server.call('PUT', '/api/v1/quotas/Quota1.1', theirs, {
        'if-match': `"${metadata.version}"`,
    });
    await page.getByText('Somebody has changed this quota since you began.').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    const conflict = page.getByTestId('conflict');
    await conflict.getByRole('row', { name: /protectFor 0s 10m 0s/ }).waitFor();
    await conflict.getByRole('row', { name: /idleSharing true true false/ }).waitFor();
    await admin.look('quota-conflict');
    await conflict.getByRole('button', { name: 'Apply mine to the new version' }).click();
    await apply('Save');
    const after = await house.server.call<{ spec: object }>('GET', '/api/v1/quotas/Quota1.1');
    expect(after.spec).toMatchObject({ idleSharing: false, protectFor: '0s' });
});

test('every tab of a quota can be looked at', async () => {
    for (const tab of ['Overview', 'Nodes', 'Workloads', 'Users', 'Monitoring', 'Books']) {
        await admin.go(`/quotas/Quota1.2?tab=${tab.toLowerCase()}`);
        await page.getByRole('tab', { name: tab, selected: true }).waitFor();
        await page.getByRole('tabpanel').waitFor();
        await page.waitForTimeout(300);
        await admin.look(`quota-${tab.toLowerCase()}`);
    }
});

test('a member sees the quota and may not change it', async () => {
    await house.server.call('POST', '/api/v1/workspaces', { metadata: { name: 'team-b' }, spec: {} });
    await house.server.call('POST', '/api/v1/workspaces/team-b:attach', { quota: 'Quota1.1' });
    await makeUser(house.server, 'berta', { 'team-b': 'developer' });
    const berta = await house.visitor();
    await berta.go('/quotas/Quota1.1');
    await berta.logIn('berta');
    await berta.page.getByRole('heading', { name: 'Quota1.1' }).waitFor();
    await expect.poll(() => berta.page.getByRole('switch', { name: 'Idle sharing' }).isDisabled()).toBe(true);
    expect(await berta.page.getByRole('button', { name: /Actions of/ }).count()).toBe(0);
    await berta.go('/quotas/Quota1.2');
    await berta.page.getByRole('alert').waitFor();
    await berta.close();
    await admin.close();
});
