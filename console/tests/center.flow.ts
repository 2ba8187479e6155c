import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace } from './harness/people';

const house = useHouse();

beforeAll(async () => {
    await makeQuota(house.server, 'vision-gpus', { parent: 'main', guarantee: { gpu: 32 } });
    await makeWorkspace(house.server, 'vision', ['vision-gpus']);
    await makeUser(house.server, 'berta', { vision: 'owner' });
    await makeUser(house.server, 'carl', { vision: 'developer' });
    await makeUser(house.server, 'emil');
});

/** Submits as somebody, with a token that the administrator makes for them. */
async function submitAs(user: string, name: string, gpu: number, priority = 3): Promise<void> {
    const { secret } = await house.server.call<{ secret: string }>('POST', '/api/v1/tokens', { user });
    const played = { gracePeriod: '0s', virtual: { duration: '10h' }, workspace: 'vision' };
    await house.server.call(
        'POST',
        '/api/v1/workloads',
        { metadata: { name }, spec: { ...played, priority, resources: { gpu } } },
        { authorization: `Bearer ${secret}` },
    );
}

async function choose(page: Page, label: string, option: string): Promise<void> {
    await page.getByRole('combobox', { name: label }).last().click();
    await page.getByRole('option', { name: option, exact: true }).click();
}

const save = async (page: Page) => {
    await page.getByRole('button', { name: 'See what it does, and save' }).click();
    await page.getByRole('button', { name: 'Save the rules' }).click();
    await page.getByText('The rules are saved.').waitFor();
};

test('a limit holds work back, its row says so, and a looser one lets it start', async () => {
    const berta = await house.enter('berta', '/center');
    const { page } = berta;
    await page.getByRole('heading', { name: 'Scheduling center of vision' }).waitFor();
    await page.getByText('Everything is allowed').waitFor();
    await page.getByRole('button', { name: 'Add a limit' }).click();
    await choose(page, 'For', 'developer');
    await page.getByLabel('Priorities').fill('12');
    await page.getByLabel('GPUs', { exact: true }).fill('8');
    await page.getByRole('button', { name: 'See what it does, and save' }).click();
    // The problem stands at its field.
    const line = page.getByRole('group', { name: 'How much each may use at a time 1' });
    await line.getByText('is not a set of priorities').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Priorities').fill('1-5');
    await save(page);

    await submitAs('carl', 'fits', 8);
    await submitAs('carl', 'held', 4);
    const row = page.getByRole('row', { name: /held carl 3 4/ });
    await row.getByText(/carl.*may use 8 GPUs.*8 used/).waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await berta.look('center-rules');
    await row.getByRole('link', { name: 'held' }).click();
    await page
        .getByText(/may use 8 GPUs.*8 used/)
        .first()
        .waitFor();
    await page.getByRole('link', { name: 'Workloads', exact: true }).click();
    await page.getByRole('row', { name: /held.*may use 8 GPUs/ }).waitFor();
    await page.getByRole('link', { name: 'Scheduling center' }).click();
    await line.waitFor();

    await line.getByLabel('GPUs').fill('12');
    await page.getByRole('button', { name: 'See what it does, and save' }).click();
    await page.getByTestId('preview').getByText('1 workload will start').waitFor();
    await page.getByTestId('preview').getByText('held').waitFor();
    await berta.look('center-preview');
    await page.getByRole('button', { name: 'Save the rules' }).click();
    await row.waitFor({ state: 'detached' });
    await berta.close();
});

test('all kinds of rules are kept as they were typed', async () => {
    const berta = await house.enter('berta', '/center?tab=rules');
    const { page } = berta;
    await page.getByLabel('Services').uncheck();
    await page.getByRole('button', { name: 'Add a highest priority' }).click();
    await choose(page, 'For', 'carl');
    await choose(page, 'At most', '4');
    await page.getByLabel('Says so after waiting for').fill('4h');
    await page.getByLabel('Stopped after running for').last().fill('12h');
    await page.getByLabel('Stop idle notebooks').check();
    await page.getByLabel('Idle for').fill('45m');
    await choose(page, 'Spared', 'berta');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a size' }).click();
    await page.getByLabel('Name').fill('small');
    await page.getByRole('group', { name: 'Sizes to choose from 1' }).getByLabel('GPUs').fill('1');
    await page.evaluate(() => window.scrollTo(0, 0));
    await berta.look('center-rules-all');
    await save(page);
    const { spec } = await house.server.call('GET', '/api/v1/workspaces/vision/policies/vision-gpus');
    expect(spec).toMatchObject({
        modules: ['training', 'notebook', 'task'],
        maxPriority: [{ member: 'carl', priority: 4 }],
        training: { maxWait: '4h' },
        notebook: { maxRunTime: '12h', exempt: ['berta'], idle: { after: '45m' } },
        presets: [{ name: 'small', resources: { gpu: 1 } }],
    });
    await expect(submitAs('carl', 'urgent', 1, 9)).rejects.toThrow(/policy/i);
    // What is typed is not lost by a click.
    await page.getByLabel('Services').check();
    await page.getByRole('link', { name: 'Quotas' }).click();
    await page.getByRole('dialog').getByText('The rules are not saved').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await berta.close();
});

test('whoever was slower sees both versions and decides', async () => {
    const berta = await house.enter('berta', '/center');
    const { page } = berta;
    await page.getByLabel('Tasks').uncheck();
    const path = '/api/v1/workspaces/vision/policies/vision-gpus';
    const { version, spec } = await house.server.call<{ version: string; spec: object }>('GET', path);
    const theirs = { ...spec, training: { maxWait: '8h' } };
    await house.server.call('PUT', path, { spec: theirs }, { 'if-match': `"${version}"` });
    await page.getByRole('button', { name: 'See what it does, and save' }).click();
    const conflict = page.getByTestId('conflict');
    await conflict.getByRole('row', { name: 'training.maxWait 4h 8h 4h' }).waitFor();
    await berta.look('center-conflict');
    await conflict.getByRole('button', { name: 'Apply mine to the new version' }).click();
    await page.getByRole('button', { name: 'Save the rules' }).click();
    await page.getByText('The rules are saved.').waitFor();
    const now = await house.server.call<{ spec: { modules: string[] } }>('GET', path);
    expect(now.spec.modules).toEqual(['training', 'notebook']);

    // A new member moves the version of the workspace, but not the rules: nobody was overtaken.
    await page.getByLabel('Tasks').check();
    await house.server.call('PUT', '/api/v1/workspaces/vision/members/emil', { role: 'guest' });
    await save(page);
    await berta.close();
});

test('members are added, change their role and leave; the last owner stays', async () => {
    const berta = await house.enter('berta', '/center?tab=members');
    const { page } = berta;
    await page.getByRole('row', { name: /emil/ }).getByRole('button', { name: 'Remove emil' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove emil' }).click();
    await page.getByRole('row', { name: /emil/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('nobody');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('dialog').getByText('there is no user nobody').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('emil');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('row', { name: /emil/ }).waitFor();
    await choose(page, 'Role of emil', 'operator');
    await page.getByRole('dialog').getByText('emil is developer and becomes operator').waitFor();
    await page.getByRole('button', { name: 'Make emil operator' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect
        .poll(() => page.getByRole('combobox', { name: 'Role of emil' }).inputValue())
        .toBe('operator');
    await berta.look('center-members');
    await page.getByRole('button', { name: 'Remove berta' }).click();
    await page.getByText('vision would have no owner any more').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('tab', { name: 'Usage' }).click();
    await page.getByRole('row', { name: /carl 12/ }).waitFor();
    await berta.look('center-usage');
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('cell', { name: 'policy.set' }).first().waitFor();
    await berta.look('center-audit');
    await berta.close();
});

test('whoever looks after several workspaces chooses one', async () => {
    await choosePassword(house.server, 'admin');
    const admin = await house.enter('admin', '/center');
    const { page } = admin;
    await page.getByRole('row', { name: /vision.*vision-gpus/ }).waitFor();
    await admin.look('center-rooms');
    await page.getByRole('link', { name: 'vision', exact: true }).click();
    await page.getByRole('heading', { name: 'Scheduling center of vision' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('ws')).toBe('vision');
    await admin.close();
});

test('a developer looks at the rules and changes nothing', async () => {
    const carl = await house.enter('carl', '/center');
    const { page } = carl;
    await page.getByText('Your role in vision does not include policy:update').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add a limit' }).isDisabled()).toBe(true);
    expect(await page.getByRole('tab', { name: 'Audit' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('row', { name: /berta owner/ }).waitFor();
    expect(await page.getByRole('combobox', { name: /Role of/ }).count()).toBe(0);
    await carl.look('center-developer');
    await carl.close();
});
