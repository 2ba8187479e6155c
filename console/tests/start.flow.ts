import { expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { PASSWORD } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('2x8'));

test('an empty server leads from the pool to the first workload, and then no more', async () => {
    const admin = await house.visitor();
    const { page } = admin;
    await page.goto(house.server.link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('The same again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and log in' }).click();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('2 nodes with 16 GPUs are there.').waitFor();
    await steps.getByText('1 of 5 done').waitFor();
    await admin.look('start');

    const dialog = page.getByRole('dialog');
    await steps.getByRole('button', { name: 'New quota' }).click();
    await dialog.getByLabel('Name').fill('vision-gpus');
    await dialog.getByLabel('GPU').first().fill('8');
    await dialog.getByRole('button', { name: /Preview|See|Create/ }).click();
    await dialog.getByRole('button', { name: /Create|New/ }).click();
    await steps.getByText('2 quotas share the pool.').waitFor();

    await steps.getByRole('button', { name: 'New workspace' }).click();
    await dialog.getByLabel('Name').fill('vision');
    await page.getByRole('combobox', { name: 'Quotas that it may use' }).click();
    await page.getByRole('option', { name: 'vision-gpus' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Create the workspace' }).click();
    await steps.getByText('There: vision.').waitFor();

    await steps.getByRole('button', { name: 'Invite somebody' }).click();
    await dialog.getByLabel('Name').fill('berta');
    await dialog.getByRole('button', { name: 'Create and make the link' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await steps.getByText('Invited: berta.').waitFor();
    await admin.look('start-later');

    await steps.getByRole('link', { name: 'Submit work' }).click();
    await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
    await page.getByLabel('Name').fill('first');
    await page.getByRole('combobox', { name: 'Quota' }).click();
    await page.getByRole('option', { name: 'vision-gpus', exact: true }).click();
    await page
        .getByTestId('verdict')
        .getByRole('heading', { name: /Would start/ })
        .waitFor();
    await page.getByTestId('verdict').getByRole('button').click();
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await steps.count()).toBe(0);
    await admin.close();
});

test('who does not want the first steps never sees them again', async () => {
    const other = await startServer('1x8');
    const admin = await house.visitor(other.url);
    const { page } = admin;
    await page.goto(other.link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('The same again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and log in' }).click();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Do not show this again' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.waitForTimeout(500);
    expect(await steps.count()).toBe(0);
    await admin.close();
    await other.close();
});
