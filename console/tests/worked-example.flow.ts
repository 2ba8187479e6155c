import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { Visitor } from './harness/browser';
import { useHouse } from './harness/house';
import { choosePassword, makeUser, makeWorkspace, PASSWORD } from './harness/people';
import { picture } from './harness/pictures';
import { startServer } from './harness/server';

/** docs/worked-example.md by mouse and keyboard: 128 GPUs, three teams, one afternoon. */
const house = useHouse(() => startServer('1x8'));
let admin: Visitor;
let page: Page;

const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name.replace('.', '\\.')} `) });

async function choose(label: string, option: string): Promise<void> {
    await page.getByRole('combobox', { name: label }).last().click();
    await page.getByRole('option', { name: option, exact: true }).click();
}

/** The button of the preview that does it, once the server has said what would happen. */
async function apply(button: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByTestId('preview').waitFor();
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await expect.poll(() => dialog.count(), { timeout: 15_000 }).toBe(0);
}

async function newQuota(name: string, gpus: number, parent?: string): Promise<void> {
    if (parent === undefined) {
        await page.getByRole('button', { name: 'New root quota' }).click();
        await choose('Pool', 'h100');
    } else {
        await page.getByRole('button', { name: `Actions of ${parent}`, exact: true }).click();
        await page.getByRole('menuitem', { name: 'New child' }).click();
    }
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByLabel('GPUs').fill(String(gpus));
    await page.keyboard.press('Enter');
    await apply('Create');
    await row(name).getByText(`0 / ${gpus}`).waitFor();
}

interface Wanted {
    name: string;
    quota: string;
    module?: 'Training' | 'Notebook' | 'Service';
    priority?: number;
    replicas?: number;
    gpus: number;
}

async function fill({
    name,
    quota,
    module = 'Training',
    priority = 1,
    replicas = 1,
    gpus,
}: Wanted): Promise<void> {
    await page.goto(`${house.server.url}/workloads/new`);
    await page.getByText(module, { exact: true }).click();
    await page.getByLabel('Name').fill(name);
    await choose('Quota', quota);
    await page.getByLabel('Priority').fill(String(priority));
    if (module !== 'Notebook') await page.getByLabel('Replicas', { exact: true }).fill(String(replicas));
    await page.getByLabel('GPUs each').fill(String(gpus));
    await page.getByLabel('Grace period').fill('0s');
}

test('the pool is shared out, and child-level preemption switched on', async () => {
    await choosePassword(house.server, 'admin');
    await house.server.call('POST', '/api/v1/pools', {
        metadata: { name: 'h100' },
        spec: { nodes: [{ count: 16, gpus: 8, model: 'H100' }] },
    });
    admin = await house.enter('admin', '/quotas');
    page = admin.page;
    await newQuota('Quota1', 128);
    await newQuota('Quota1.1', 48, 'Quota1');
    await newQuota('Quota1.2', 80, 'Quota1');

    await page.getByRole('link', { name: 'Quota1', exact: true }).click();
    await page.getByRole('switch', { name: 'Child-level preemption' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Priorities that may be evicted').fill('1-9');
    await picture(page, 'child-level', { height: 560, at: page.getByRole('region', { name: 'Policies' }) });
    await page.getByRole('button', { name: 'Preview' }).click();
    await apply('Save');

    // A child cannot be made larger than its parent has room for.
    await page.getByRole('link', { name: 'All quotas' }).click();
    await page.getByRole('button', { name: 'Actions of Quota1.1', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Scale' }).click();
    await page.getByRole('dialog').getByLabel('GPUs').fill('49');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page
        .getByRole('alert')
        .getByText('the share of Quota1 is 0 GPUs, asked are 1 GPU')
        .first()
        .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
});

test('two teams fill their quotas', async () => {
    const b = { quota: 'Quota1.1' };
    const c = { quota: 'Quota1.2' };
    const work: Wanted[] = [
        { name: 'b-train', ...b, priority: 3, replicas: 5, gpus: 8 },
        { name: 'b-note', ...b, module: 'Notebook', gpus: 8 },
        { name: 'c-train', ...c, priority: 2, replicas: 6, gpus: 8 },
        { name: 'c-tune', ...c, replicas: 2, gpus: 8 },
        { name: 'c-note1', ...c, module: 'Notebook', gpus: 4 },
        { name: 'c-note2', ...c, module: 'Notebook', priority: 2, gpus: 4 },
        { name: 'c-serve', ...c, module: 'Service', gpus: 8 },
    ];
    for (const one of work) {
        await fill(one);
        await page.getByTestId('verdict').getByRole('heading', { name: 'Would start now' }).waitFor();
        await page.getByTestId('verdict').getByRole('button', { name: 'Submit' }).click();
        await page.getByRole('heading', { name: new RegExp(`^${one.name}`) }).waitFor();
        await page.getByText('Running', { exact: true }).first().waitFor();
    }
    await admin.go('/quotas');
    await row('Quota1.1').getByText('48 / 48').waitFor();
    await row('Quota1.2').getByText('80 / 80').waitFor();
    await picture(page, 'quotas', { height: 450 });
});

test('scene 1: a service of team A evicts who was named before, live, and they come back', async () => {
    const watcher = await house.enter('admin', '/workloads');
    const seen = (name: string) => watcher.page.getByRole('row', { name: new RegExp(`^${name} `) });
    await seen('c-tune').getByText('Running').waitFor();

    await fill({ name: 'a-serve', quota: 'Quota1', module: 'Service', priority: 5, replicas: 4, gpus: 8 });
    const verdict = page.getByTestId('verdict');
    await verdict.getByRole('heading', { name: 'Would preempt 4 workloads' }).waitFor();
    const victims = ['c-note1', 'c-note2', 'c-tune', 'b-note'];
    for (const victim of victims) await verdict.getByText(victim).waitFor();
    expect(await verdict.getByText('c-serve').count()).toBe(0);
    await picture(page, 'preview');
    await verdict.getByRole('button', { name: 'Submit and preempt 4' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^a-serve/ }).waitFor();

    // The other window was not touched.
    for (const victim of victims) await seen(victim).getByText('Queued').waitFor();
    await seen('a-serve').getByText('Running').waitFor();
    await seen('c-serve').getByText('Running').waitFor();
    await picture(watcher.page, 'preempted', { height: 560 });
    await seen('c-tune').press('Enter');
    await watcher.page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    await watcher.page.getByText('short 16 of 16 GPUs').first().waitFor();
    await watcher.page.getByRole('link', { name: 'a-serve' }).first().waitFor();
    await picture(watcher.page, 'why');
    await watcher.go('/workloads');

    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByTestId('preview').getByText('4 workloads will start').waitFor();
    await apply('Stop');
    for (const victim of victims) await seen(victim).getByText('Running').waitFor();
    await watcher.close();
});

test('scene 2: 8 GPUs change hands, once nobody is in the way', async () => {
    const transfer = async () => {
        await admin.go('/quotas');
        await page.getByRole('button', { name: 'Actions of Quota1.2', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Transfer' }).click();
        await choose('To', 'Quota1.1');
        await page.getByRole('dialog').getByLabel('GPUs').fill('8');
        await page.getByRole('button', { name: 'Preview' }).click();
    };
    await transfer();
    await page
        .getByText(/Quota1\.2 would be left with 72 GPUs, but 80 GPUs are drawn on it/)
        .first()
        .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await admin.go('/workloads/c-serve');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await apply('Stop');
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    await transfer();
    await page.getByTestId('preview').getByText('Nobody is evicted').waitFor();
    await apply('Transfer');
    await row('Quota1.1').getByText('48 / 56').waitFor();
    await row('Quota1.2').getByText('72 / 72').waitFor();
    await picture(page, 'transferred', { height: 450 });
});

test('scene 3: each team in its own room; of team C, Berta finds nothing', async () => {
    await admin.go('/administration/workspaces');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New workspace' }).click();
    await dialog.getByLabel('Name').fill('workspace-b');
    await dialog.getByLabel('Description').fill('Team B');
    await page.getByRole('button', { name: 'Create the workspace' }).click();
    await page.getByRole('button', { name: 'Actions for workspace-b' }).click();
    await page.getByRole('menuitem', { name: 'Attach a quota' }).click();
    await choose('Quota', 'Quota1.1');
    await dialog.getByRole('button', { name: 'Attach a quota' }).click();
    await page.getByRole('button', { name: 'Attach Quota1.1 to workspace-b' }).click();
    await page.getByRole('row', { name: /workspace-b.*Quota1\.1/ }).waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await dialog.getByLabel('Name').fill('berta');
    await choose('Workspace', 'workspace-b');
    await choose('Role', 'developer');
    await page.getByRole('button', { name: 'Create and make the link' }).click();
    const link = await page.getByTestId('secret').getByLabel('One-time link').inputValue();
    await admin.close();

    const { server } = house;
    await makeWorkspace(server, 'workspace-c', ['Quota1.2']);
    await makeUser(server, 'carol', { 'workspace-c': 'developer' });
    const { secret } = await server.call<{ secret: string }>('POST', '/api/v1/tokens', { user: 'carol' });
    const work = { metadata: { name: 'c-eval' }, spec: { resources: { gpu: 8 }, gracePeriod: '0s' } };
    await server.call('POST', '/api/v1/workloads', work, { authorization: `Bearer ${secret}` });

    const berta = await house.visitor();
    page = berta.page;
    await page.goto(link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('The same again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and log in' }).click();
    await page.getByRole('link', { name: 'Workloads' }).first().click();
    await page.getByRole('link', { name: 'Submit' }).first().click();
    await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
    await page.getByLabel('Name').fill('b-eval');
    await page.getByLabel('GPUs each').fill('8');
    await page.getByLabel('Grace period').fill('0s');
    await page.getByTestId('verdict').getByRole('heading', { name: 'Would start now' }).waitFor();
    await page.getByTestId('verdict').getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Running', { exact: true }).first().waitFor();

    await berta.go('/workloads');
    await page.getByRole('row', { name: /^b-eval Running/ }).waitFor();
    expect(await page.getByTestId('count').innerText()).toBe('1 workload');
    await berta.go('/quotas');
    await row('Quota1.1').getByText('56 / 56').waitFor();
    await picture(page, 'berta', { height: 360 });
    for (const name of ['Quota1.2', 'c-eval', 'carol', 'workspace-c'])
        expect(await page.locator('body').innerText()).not.toContain(name);
    for (const [path, said] of [
        ['/workloads/c-eval', 'there is no workload c-eval'],
        ['/quotas/Quota1.2', 'there is no quota Quota1.2'],
        ['/center?ws=workspace-c', 'There is no such page, or it is not yours to see.'],
    ] as const) {
        await berta.go(path);
        await page.getByText(said).first().waitFor();
    }
    await berta.close();
});
