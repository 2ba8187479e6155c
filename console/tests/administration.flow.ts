import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { Visitor } from './harness/browser';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace, PASSWORD, submit } from './harness/people';

const house = useHouse();
beforeAll(async () => {
    await makeQuota(house.server, 'vision-gpus', { parent: 'main', guarantee: { gpu: 16 } });
    await makeQuota(house.server, 'speech-gpus', { parent: 'main', guarantee: { gpu: 8 } });
    await makeWorkspace(house.server, 'speech', ['speech-gpus']);
    await makeUser(house.server, 'dora', { speech: 'owner' });
    await choosePassword(house.server, 'admin');
});

/** Chooses an option of a list by what is written on it. */
async function choose(page: Page, label: string, option: string): Promise<void> {
    await page.getByRole('combobox', { name: label }).last().click();
    await page.getByRole('option', { name: option, exact: true }).click();
}

const dialog = (page: Page) => page.getByRole('dialog');
const secretOf = (page: Page, label: string) => page.getByTestId('secret').getByLabel(label).inputValue();

test('an administrator makes a workspace, attaches a quota and invites a member, who finds only that room', async () => {
    const admin = await house.enter('admin', '/administration/workspaces');
    const { page } = admin;
    await page.getByRole('button', { name: 'New workspace' }).click();
    await dialog(page).getByLabel('Name').fill('vision');
    await dialog(page).getByLabel('Description').fill('Images and video');
    await page.getByRole('button', { name: 'Create the workspace' }).click();
    const row = page.getByRole('row', { name: /vision/ });
    await row.getByText('its members cannot submit anything yet').waitFor();

    await row.getByRole('button', { name: 'Actions for vision' }).click();
    await page.getByRole('menuitem', { name: 'Attach a quota' }).click();
    await choose(page, 'Quota', 'vision-gpus');
    await dialog(page).getByRole('button', { name: 'Attach a quota' }).click();
    await page.getByRole('button', { name: 'Attach vision-gpus to vision' }).click();
    await row.getByText('vision-gpus').waitFor();
    await admin.look('administration-workspaces');

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await dialog(page).getByLabel('Name').fill('berta');
    await choose(page, 'Workspace', 'vision');
    await choose(page, 'Role', 'owner');
    await admin.look('administration-new-user');
    await page.getByRole('button', { name: 'Create and make the link' }).click();
    const link = await secretOf(page, 'One-time link');
    await admin.look('administration-invitation');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('row', { name: /berta.*vision \(owner\)/ }).waitFor();
    expect(await page.content()).not.toContain(link);
    await admin.look('administration-users');
    await admin.close();

    const berta = await house.visitor();
    await berta.page.goto(link);
    await berta.page.getByLabel('New password').fill(PASSWORD);
    await berta.page.getByLabel('The same again').fill(PASSWORD);
    await berta.page.getByRole('button', { name: 'Set password and log in' }).click();
    await berta.page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await seesNothingOfSpeech(berta);
    await berta.close();
});

/** Walks through every screen of the menu, and every part of them, and reads all that is there. */
async function seesNothingOfSpeech({ page, url }: Visitor): Promise<void> {
    const paths = new Set<string>();
    const collect = async () => {
        for (const link of await page.locator('nav a').all()) {
            const href = await link.getAttribute('href');
            if (href !== null) paths.add(href.split('?')[0] ?? '');
        }
    };
    await collect();
    paths.add('/profile');
    for (const tab of ['rules', 'members', 'usage', 'audit']) paths.add(`/center?tab=${tab}`);
    // Sets give what is added while one walks through them.
    for (const path of paths) {
        await page.goto(url + path);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        await page.waitForTimeout(300);
        await collect();
        for (const secret of ['speech', 'dora']) {
            expect(await page.locator('body').innerText(), `${path} names ${secret}`).not.toContain(secret);
        }
    }
    expect([...paths]).toContain('/administration/webhooks');
    expect([...paths]).not.toContain('/administration/users');
    for (const path of ['/administration/users', '/center?ws=speech']) {
        await page.goto(url + path);
        await page.getByText('There is no such page, or it is not yours to see.').waitFor();
        expect(await page.getByText('dora').count()).toBe(0);
    }
}

test('a workspace that is still used is not deleted, and the reason is said', async () => {
    await submit(house.server, 'busy', { quota: 'speech-gpus', workspace: 'speech', resources: { gpu: 1 } });
    const admin = await house.enter('admin', '/administration/workspaces');
    const { page } = admin;
    await page.getByRole('button', { name: 'Actions for speech' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByText('workloads of speech have not ended: busy').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Delete speech' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Detach speech-gpus' }).click();
    await dialog(page).getByText('workloads of speech live in speech-gpus: busy').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await admin.close();
});

test('a token is made, works, is revoked and works no longer', async () => {
    const admin = await house.enter('admin', '/administration/tokens');
    const { page } = admin;
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog(page).getByLabel('Name').fill('ci');
    await choose(page, 'Expires in', '7 days');
    await dialog(page).getByLabel('Only these actions').check();
    await dialog(page).getByLabel('quota:update').check();
    await admin.look('administration-new-token');
    await page.getByRole('button', { name: 'Make the token' }).click();
    const secret = await secretOf(page, 'Token');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    const ask = (path: string) =>
        fetch(house.server.url + path, { headers: { authorization: `Bearer ${secret}` } }).then(
            one => one.status,
        );
    expect(await ask('/api/v1/workloads')).toBe(200);
    expect(await ask('/api/v1/users')).toBe(403);

    await page.reload();
    const row = page.getByRole('row', { name: /ci / });
    await row
        .getByText(/ago|just now/)
        .first()
        .waitFor();
    await expect.poll(() => row.getByText('not yet').count()).toBe(0);
    expect(await row.innerText()).toMatch(/workload:read[\s\S]*in 6 days|in 7 days/);
    await admin.look('administration-tokens');
    await row.getByRole('button', { name: 'Revoke ci' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect(await ask('/api/v1/workloads')).toBe(401);
    await admin.close();
});

test('a role is made of actions, a service account gets it, and a user is disabled', async () => {
    const admin = await house.enter('admin', '/administration/roles');
    const { page } = admin;
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog(page).getByLabel('Name').fill('auditor');
    await dialog(page).getByLabel('audit:read', { exact: true }).check();
    await page.getByRole('button', { name: 'Save the role' }).click();
    await page.getByRole('columnheader', { name: /auditor/ }).waitFor();
    await admin.look('administration-roles');

    await page.getByRole('link', { name: 'Service accounts' }).click();
    await page.getByRole('button', { name: 'New service account' }).click();
    await dialog(page).getByLabel('Name').fill('robot');
    await choose(page, 'Workspace', 'vision');
    await choose(page, 'Role', 'auditor');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('row', { name: /robot vision auditor/ }).waitFor();
    await admin.look('administration-accounts');
    await page.getByRole('button', { name: 'Actions for robot' }).click();
    await page.getByRole('menuitem', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'No tokens' }).waitFor();

    // Whoever has a role keeps it from being deleted.
    await page.getByRole('link', { name: 'Roles', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for auditor' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for dora' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Disable dora' }).click();
    await page.getByRole('row', { name: /dora/ }).getByText('Disabled').waitFor();
    await admin.close();
    const dora = await house.enter('dora', '/quotas');
    await dora.page.getByRole('alert').waitFor();
    await dora.close();
});

test('the audit says who changed what, is filtered by its address, and is exported as lines of JSON', async () => {
    const admin = await house.enter('admin', '/administration/audit?op=workspace.attach');
    const { page } = admin;
    const row = page.getByRole('row', { name: /admin workspace\.attach/ }).first();
    await row.waitFor();
    expect(await page.getByRole('cell', { name: 'user.create' }).count()).toBe(0);
    await row.getByRole('button', { name: /Details of change/ }).click();
    await page.getByText('vision-gpus').waitFor();
    await admin.look('administration-audit');

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as JSON lines' }).click();
    const file = await (await download).createReadStream();
    let lines = '';
    for await (const piece of file) lines += String(piece);
    const entries = lines
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { operation: string });
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.every(entry => entry.operation === 'workspace.attach')).toBe(true);

    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('cell', { name: 'user.create' }).first().waitFor();
    await admin.close();
});
