import type { Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace, submit } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('2x8'));

/** Two teams; the second also uses what the first leaves idle. */
beforeAll(async () => {
    const { server } = house;
    await choosePassword(server, 'admin');
    await makeQuota(server, 'vision', { parent: 'main', guarantee: { gpu: 8 } });
    await makeQuota(server, 'speech', { parent: 'main', guarantee: { gpu: 8 } });
    await makeWorkspace(server, 'team-v', ['vision']);
    await makeWorkspace(server, 'team-s', ['speech']);
    await makeUser(server, 'vera', { 'team-v': 'owner' });
    await makeUser(server, 'sam', { 'team-s': 'developer' });
    const vision = { quota: 'vision', workspace: 'team-v' };
    const speech = { quota: 'speech', workspace: 'team-s' };
    await submit(server, 'train', { ...vision, resources: { gpu: 4 }, virtual: { duration: '1s' } });
    await submit(server, 'borrow', {
        ...speech,
        replicas: 2,
        resources: { gpu: 6 },
        idle: 'accept',
        virtual: { duration: '1s' },
    });
    await submit(server, 'serve', { ...vision, module: 'service', resources: { gpu: 2 } });
});

const rows = (page: Page, label: string) => page.getByRole('table', { name: label }).getByRole('row');

test('what was used is told over time, grouped and filtered by the address, and exported', async () => {
    const admin = await house.enter('admin', '/usage?period=hour');
    const { page } = admin;
    await page.getByRole('heading', { name: 'GPU hours by minute' }).waitFor();
    await page.getByRole('img', { name: /team-v: .*, team-s:|team-s: .*, team-v:/ }).waitFor();
    await rows(page, 'Sums')
        .filter({ hasText: /team-s/ })
        .waitFor();
    await page.getByRole('combobox', { name: 'Told apart by' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Claim' }).click();
    await page.keyboard.press('Escape');
    await rows(page, 'Sums')
        .filter({ hasText: /team-s.*Idle capacity/ })
        .waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('by')).toBe('workspace,class');
    await admin.look('usage');
    await page.getByRole('combobox', { name: 'Claim' }).click();
    await page.getByRole('option', { name: 'Idle capacity' }).click();
    await expect.poll(() => rows(page, 'Sums').count()).toBe(3);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const csv = readFileSync(await (await saved).path(), 'utf8');
    expect(csv).toMatch(/team-s,.*idle/);
    expect(csv).not.toMatch(/team-v/);
    await page.getByRole('textbox', { name: 'User' }).fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('there is no user nobody').waitFor();
    await admin.close();
});

test('every record names who held what of whom, and leads to the workload', async () => {
    const admin = await house.enter('admin', '/usage/records');
    const { page } = admin;
    await page
        .getByRole('row', { name: /borrow team-s admin speech of vision .* gpu:virtual Idle/ })
        .waitFor();
    await page
        .getByRole('row', { name: /serve.*goes on/ })
        .first()
        .waitFor();
    await admin.look('records');
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('records.csv');
    await page.getByRole('link', { name: 'borrow' }).first().click();
    await page.getByRole('heading', { name: /^borrow/ }).waitFor();
    await admin.close();
});

test('prices become a statement, whose lines add up to their records; a correction is a line of its own', async () => {
    const admin = await house.enter('admin', '/usage/bills');
    const { page } = admin;
    await page.getByText('There are no prices yet').waitFor();
    await admin.look('bills-none');
    await page.getByRole('link', { name: 'Prices' }).first().click();
    await page.getByRole('link', { name: 'New price book' }).click();
    const verdict = page.getByTestId('verdict');
    await page.getByLabel('Name').fill('default');
    const quota = page.getByRole('group', { name: 'In a quota' });
    await quota.getByLabel('GPU virtual').fill('much');
    await verdict.getByRole('heading', { name: 'Would be refused' }).waitFor();
    expect(await quota.getByLabel('GPU virtual').getAttribute('aria-invalid')).toBe('true');
    await quota.getByLabel('GPU virtual').fill('3600');
    await quota.getByLabel('Core').fill('0');
    await quota.getByLabel('GiB memory').fill('0');
    await quota.getByLabel('Idle discount').fill('60');
    await page.getByLabel('Valid from').fill('2026-01-01T00:00');
    await verdict.getByRole('heading', { name: /Holds from 1 Jan 2026/ }).waitFor();
    await admin.look('price-form');
    await verdict.getByRole('button', { name: 'Create the price book' }).click();
    await page.getByRole('heading', { name: 'default' }).waitFor();
    await page.getByText('in force', { exact: true }).waitFor();

    // Later prices change nothing of the past.
    await page.getByRole('link', { name: 'New version' }).click();
    await quota.getByLabel('GPU virtual').fill('9000');
    await page.getByLabel('Valid from').fill('2020-01-01T00:00');
    await verdict.getByRole('heading', { name: 'Would be refused' }).waitFor();
    await page.getByLabel('Valid from').fill('2099-01-01T00:00');
    await verdict.getByRole('heading', { name: /Holds from 1 Jan 2099/ }).waitFor();
    await verdict.getByRole('button', { name: 'Set these prices' }).click();
    await page.getByText('coming', { exact: true }).waitFor();
    await admin.look('price-book');
    await page.getByRole('link', { name: 'All price books' }).click();
    await page.getByRole('row', { name: /default.*EUR.*from 1 Jan 2099/ }).waitFor();
    await admin.look('prices');

    await page.getByRole('link', { name: 'Statements' }).click();
    const idle = rows(page, 'Lines').filter({ hasText: /team-s.*gpu:virtual.*Idle capacity.*60 %/ });
    await idle.waitFor();
    const cost = Number((await idle.getByRole('cell').last().innerText()).replaceAll(',', ''));
    // 4 GPUs for a second at 1 each, 60 percent off; starts take their time.
    expect(cost).toBeGreaterThan(1.5);
    await idle.getByRole('button').click();
    await page
        .getByTestId('line-records')
        .getByText(/1 record comes to .* hours, exactly/)
        .waitFor();
    await page.getByTestId('line-records').getByRole('link', { name: 'borrow' }).waitFor();
    await admin.look('bills');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/team-s,speech,quota,gpu:virtual,idle/);

    await page.getByRole('link', { name: 'Corrections' }).click();
    await page.getByText('Nothing was corrected').waitFor();
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    const dialog = page.getByRole('dialog');
    for (const [label, option] of [
        ['Workspace', 'team-s'],
        ['User', 'admin'],
        ['Quota', 'speech'],
        ['Resource', 'gpu:virtual'],
    ] as const) {
        await dialog.getByRole('combobox', { name: label }).click();
        await page.getByRole('option', { name: option, exact: true }).click();
    }
    await dialog.getByRole('textbox', { name: 'Hours' }).fill('lots');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the node was broken');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog
        .getByText(/is not a number of hours/)
        .first()
        .waitFor();
    await dialog.getByRole('textbox', { name: 'Hours' }).fill('-0.001');
    await admin.look('correction-form');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await page.getByTestId('preview').getByText('-0.001 hours of gpu:virtual for admin in team-s').waitFor();
    await page.getByTestId('preview').getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('row', { name: /cor-0.*-0.001.*the node was broken/ }).waitFor();
    await admin.look('corrections');
    await page.getByRole('link', { name: 'Statements' }).click();
    await rows(page, 'Lines')
        .filter({ hasText: /correction cor-0/ })
        .getByText('-3.60')
        .waitFor();
    await admin.close();
});

test('an owner sees all of the own workspace, a developer the own use, and nobody another team', async () => {
    const vera = await house.enter('vera', '/usage/bills');
    await rows(vera.page, 'Lines')
        .filter({ hasText: /team-v.*gpu:virtual/ })
        .first()
        .waitFor();
    expect(await vera.page.getByText('team-s').count()).toBe(0);
    await vera.page.getByRole('link', { name: 'Prices' }).click();
    const create = vera.page.getByRole('link', { name: 'New price book' });
    await create.waitFor();
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await vera.go('/usage/prices/new');
    await vera.page.getByText('Prices are set by platform administrators.').waitFor();
    await vera.close();

    const sam = await house.enter('sam', '/usage');
    await sam.page.getByText('Nothing was used').waitFor();
    await sam.look('usage-empty');
    await sam.close();
});
