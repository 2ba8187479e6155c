import { expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeQuota, makeUser, makeWorkspace, PASSWORD, submit } from './harness/people';

const house = useHouse();

test('the one-time link of the first start lets the administrator choose a password, once', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await page.goto(house.server.link);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${house.server.url}/invitation`);
    await visitor.look('invitation');
    await page.getByLabel('New password').fill('short');
    await expect
        .poll(() => page.getByRole('button', { name: 'Set password and log in' }).isDisabled())
        .toBe(true);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('The same again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and log in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visitor.close();

    const second = await house.visitor();
    await second.page.goto(house.server.link);
    await second.page.getByLabel('New password').fill(PASSWORD);
    await second.page.getByLabel('The same again').fill(PASSWORD);
    await second.page.getByRole('button', { name: 'Set password and log in' }).click();
    await second.page.getByRole('alert').filter({ hasText: 'followed already' }).waitFor();
    await second.close();
});

test('who is not known is sent to log in, and comes back where they wanted to go', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/quotas?find=ma');
    await page.getByRole('heading', { name: 'Log in to Tidegate' }).waitFor();
    await visitor.look('login');
    await visitor.logIn('admin', 'not the password');
    await page.getByRole('alert').filter({ hasText: 'name or password is wrong' }).waitFor();
    await visitor.logIn('admin');
    await page.getByRole('treegrid').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/quotas');
    await expect.poll(() => new URL(page.url()).searchParams.get('find')).toBe('ma');
    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
    await visitor.look('profile');
    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Tidegate' }).waitFor();
    await visitor.go('/quotas');
    await page.getByRole('heading', { name: 'Log in to Tidegate' }).waitFor();
    await visitor.close();
});

test('quotas are a tree that follows what happens, and nobody sees another team', async () => {
    await makeQuota(house.server, 'Quota1.1', { parent: 'main', guarantee: { gpu: 48 } });
    await makeQuota(house.server, 'Quota1.2', { parent: 'main', guarantee: { gpu: 80 } });
    await makeWorkspace(house.server, 'team-b', ['Quota1.1']);
    await makeWorkspace(house.server, 'team-c', ['Quota1.2']);
    await makeUser(house.server, 'berta', { 'team-b': 'developer' });

    const admin = await house.visitor();
    await admin.go('/quotas');
    await admin.logIn('admin');
    const row = admin.page.getByRole('row', { name: /Quota1\.1/ });
    await row.getByText('0 / 48').waitFor();
    await admin.page.getByText('Live', { exact: true }).waitFor();
    await submit(house.server, 'b1', {
        quota: 'Quota1.1',
        workspace: 'team-b',
        priority: 2,
        replicas: 4,
        resources: { gpu: 8 },
    });
    await row.getByText('32 / 48').waitFor();
    await admin.look('quotas');
    // By keyboard: close the root, and its children are gone.
    await admin.page.getByRole('row', { name: /main/ }).focus();
    await admin.page.keyboard.press('ArrowLeft');
    await row.waitFor({ state: 'detached' });
    await admin.page.keyboard.press('ArrowRight');
    await row.waitFor();
    await admin.close();

    const berta = await house.visitor();
    await berta.go('/quotas');
    await berta.logIn('berta');
    await berta.page.getByRole('row', { name: /Quota1\.1/ }).waitFor();
    expect(await berta.page.getByText('Quota1.2').count()).toBe(0);
    expect(await berta.page.getByText('team-c').count()).toBe(0);
    await berta.close();
});

test('a lost connection is told of, and heals', async () => {
    const visitor = await house.visitor();
    await visitor.go('/quotas');
    await visitor.logIn('admin');
    await visitor.page.getByText('Live', { exact: true }).waitFor();
    await house.server.kill();
    await visitor.page.getByText('Reconnecting').waitFor();
    await house.server.start();
    await visitor.page.getByText('Live', { exact: true }).waitFor();
    await makeQuota(house.server, 'after', { parent: 'Quota1.1', guarantee: { gpu: 8 } });
    await visitor.page.getByRole('row', { name: /after/ }).waitFor();
    await visitor.close();
});
