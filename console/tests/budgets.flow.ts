import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('2x8'));

const TASKS = 6;

/** Tasks of a second each on shared compute, where a GPU costs 1 for a second. */
beforeAll(async () => {
    const { server } = house;
    await choosePassword(server, 'admin');
    await makeQuota(server, 'shared', {
        parent: 'main',
        guarantee: { gpu: 4 },
        queue: { strategy: 'fair' },
        shared: true,
    });
    await makeQuota(server, 'reserve', { parent: 'main', guarantee: { gpu: 8 }, dedicated: true });
    await makeWorkspace(server, 'team-b');
    await makeWorkspace(server, 'team-c');
    await makeUser(server, 'olga', { 'team-b': 'owner' });
    await makeUser(server, 'dora', { 'team-b': 'developer' });
    await server.call('POST', '/api/v1/templates', {
        metadata: { name: 'render' },
        spec: { resources: { gpu: 1 } },
    });
});

const rows = (page: Page, label: string) => page.getByRole('table', { name: label }).getByRole('row');
const preview = (page: Page) => page.getByTestId('preview');

/** What is due for this month, as the statement has it. */
async function due(): Promise<string> {
    const now = new Date();
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
    const bill = await house.server.call<{ due: string }>(
        'GET',
        `/api/v1/bills?workspace=team-b&from=${from}`,
    );
    return bill.due;
}

async function runTasks(): Promise<void> {
    const { server } = house;
    for (let task = 0; task < TASKS; task += 1) {
        await server.call('POST', '/api/v1/tasks', {
            template: 'render',
            workspace: 'team-b',
            virtual: { duration: '1s' },
        });
    }
    const ended = async () =>
        (
            await server.call<{ items: { state: string }[] }>('GET', '/api/v1/tasks?workspace=team-b')
        ).items.filter(task => task.state === 'succeeded').length;
    await expect.poll(ended, { timeout: 30_000 }).toBe(TASKS);
}

test('a budget is set with a preview, and shows how much of it is spent; another version is not overwritten', async () => {
    const admin = await house.enter('admin', '/usage/budgets');
    const { page } = admin;
    await page.getByText('A budget goes by the prices of a price book. There is none yet.').waitFor();
    const create = page.getByRole('button', { name: 'Set a budget' });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    const tariff = (gpu: string) => ({ gpu: { virtual: gpu }, cpu: '0', memory: '0' });
    await house.server.call('POST', '/api/v1/prices', {
        metadata: { name: 'default' },
        spec: {
            currency: 'EUR',
            validFrom: '2026-01-01T00:00:00Z',
            prices: { shared: tariff('3600'), reserved: tariff('0.001'), byUsage: tariff('2400') },
        },
    });
    await runTasks();

    await admin.go('/usage/budgets');
    await page.getByText('There are no budgets').waitFor();
    await admin.look('budgets-none');
    await create.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Workspace' }).click();
    await page.getByRole('option', { name: 'team-b', exact: true }).click();
    await dialog.getByLabel('For each month').fill('much');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
        .getByText(/is not an amount above zero/)
        .first()
        .waitFor();
    expect(await dialog.getByLabel('For each month').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('For each month').fill('1000');
    await admin.look('budget-form');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await preview(page)
        .getByText(/^team-b has 1000 EUR for each month.*, and tasks go on/)
        .waitFor();
    await preview(page).getByRole('button', { name: 'Set this budget' }).click();
    const row = rows(page, 'Budgets').filter({ hasText: 'team-b' });
    const spent = await due();
    expect(Number(spent)).toBeGreaterThanOrEqual(TASKS);
    await row.getByRole('img', { name: `team-b has spent ${spent} of 1000.00 EUR` }).waitFor();
    await row.getByText('not told yet').waitFor();

    // Somebody else changes it while the form is open.
    await row.getByRole('button', { name: 'Actions of the budget of team-b' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await house.server.call('PUT', '/api/v1/budgets/team-b', { amount: '700' }, { 'If-Match': '*' });
    const amount = (Number(spent) / 0.9).toFixed(2);
    await dialog.getByLabel('For each month').fill(amount);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    const conflict = page.getByTestId('conflict');
    await conflict.getByRole('row', { name: new RegExp(`amount 1000.00 700.00 ${amount}`) }).waitFor();
    await conflict.getByRole('button', { name: 'Apply mine to the new version' }).click();
    await preview(page)
        .getByText(/are spent already: (89\.9|90) %/)
        .waitFor();
    await admin.look('budget-preview');
    await preview(page).getByRole('button', { name: 'Set this budget' }).click();
    await row
        .getByRole('img', { name: new RegExp(`${spent} of ${amount} EUR, (89.9|90) percent`) })
        .waitFor();
    await admin.look('budgets');

    // Where use and statements are shown, it is shown as well; not that of another workspace.
    await page.getByRole('link', { name: 'Statements' }).click();
    const strip = page.getByRole('region', { name: 'Budget of this month' });
    await strip.getByRole('img', { name: /^team-b has spent/ }).waitFor();
    await admin.look('bills-budget');
    await admin.go('/usage?period=hour');
    await strip.getByRole('img', { name: /^team-b has spent/ }).waitFor();
    await admin.go('/usage/bills?ws=team-c');
    await page.getByText('Nothing to charge').waitFor();
    expect(await strip.count()).toBe(0);

    // All of it is spent by another amount, which also says that tasks stop.
    await admin.go('/usage/budgets');
    await row.getByRole('button', { name: 'Actions of the budget of team-b' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await dialog.getByLabel('For each month').fill('5');
    await dialog.getByLabel('When it is spent, no task begins on shared compute').check();
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await preview(page)
        .getByText(/then no task begins on shared compute.*which is all of it/)
        .waitFor();
    await preview(page).getByRole('button', { name: 'Set this budget' }).click();
    await row.getByText('No task begins on shared compute').waitFor();
    await admin.close();
});

test('what other ways would have cost stands side by side, and leads to a request for it', async () => {
    const olga = await house.enter('olga', '/usage');
    const { page } = olga;
    // What has not ended costs more each time that it is asked: this is the answer that is shown.
    const answer = page.waitForResponse(/\/api\/v1\/advice/);
    await page.getByRole('link', { name: 'Advice' }).click();
    const advice = (await (await answer).json()) as {
        best: string;
        ways: { mode: string; cost: string; size: Record<string, number> }[];
    };
    await page.getByTestId('advised').getByText(`${TASKS} tasks`).waitFor();
    expect(advice.ways.map(way => way.mode)).toEqual(['shared', 'reserved', 'byUsage']);
    for (const [index, name] of ['Shared', 'Reserved', 'By usage'].entries()) {
        const card = page.getByRole('region', { name, exact: true });
        await card.getByText('95 of 100, up to').waitFor();
        await card.getByText(`${advice.ways[index]?.cost} EUR`).waitFor();
        const isBest = advice.ways[index]?.mode === advice.best;
        expect(await card.getByText(/^(cheapest|best)$/).count(), name).toBe(isBest ? 1 : 0);
    }
    expect(await rows(page, 'Sizes tried for a reservation').count()).toBeGreaterThan(1);
    expect(await page.getByRole('region', { name: 'Shared' }).getByRole('link').count()).toBe(0);
    await olga.look('advice');
    await page.getByRole('combobox', { name: 'Of the last' }).click();
    await page.getByRole('option', { name: '1 week', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('weeks')).toBe('1');
    const byUsage = page.getByRole('region', { name: 'By usage', exact: true });
    await byUsage.getByRole('link', { name: 'Ask for this' }).click();
    await page.getByRole('heading', { name: 'Ask for dedicated compute' }).waitFor();
    const size = advice.ways[2]?.size['gpu:virtual'] ?? 0;
    expect(size).toBeGreaterThan(0);
    await expect.poll(() => page.getByLabel('GPUs at most').inputValue()).toBe(String(size));
    await page.getByLabel('Reason').fill('as advised');
    const verdict = page.getByTestId('verdict');
    await verdict.getByText(new RegExp(`^0 to ${size} GPUs?, by 1`)).waitFor();
    await olga.close();

    // Whoever sees only the own use gets no advice about all of it.
    const dora = await house.enter('dora', '/usage/advice');
    await dora.page.getByText('You may not, anywhere').waitFor();
    await dora.go('/usage/budgets');
    await dora.page.getByText('There are no budgets').waitFor();
    await dora.close();
});

test('people are told when it is spent, tasks are refused, and without a budget they are not', async () => {
    const olga = await house.enter('olga', '/usage/bills');
    const { page } = olga;
    // It is looked at once a minute.
    await page
        .getByRole('region', { name: 'Budget of this month' })
        .getByText('spent', { exact: true })
        .waitFor({ timeout: 90_000 });
    await page.getByRole('link', { name: 'All budgets' }).click();
    const row = rows(page, 'Budgets').filter({ hasText: 'team-b' });
    await row.getByText(/^50 %.*80 %.*100 %.*(ago|now)$/s).waitFor();
    const create = page.getByRole('button', { name: 'Set a budget' });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    expect(await row.getByRole('button').count()).toBe(0);
    await olga.look('budgets-spent');
    await olga.go('/tasks/new?template=render&ws=team-b');
    const verdict = page.getByTestId('verdict');
    await verdict.getByText(/has spent .* of its 5.00 EUR for this month/).waitFor();

    const admin = await house.enter('admin', '/usage/budgets');
    await admin.page.getByRole('button', { name: 'Actions of the budget of team-b' }).click();
    await admin.page.getByRole('menuitem', { name: 'Remove' }).click();
    await preview(admin.page).getByText('team-b spends as it likes').waitFor();
    await preview(admin.page).getByRole('button', { name: 'Remove' }).click();
    await admin.page.getByText('There are no budgets').waitFor();
    await admin.close();
    await olga.go('/tasks/new?template=render&ws=team-b');
    await verdict.getByRole('heading', { name: 'Would start now' }).waitFor();
    await olga.close();
});
