import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeUser, submit } from './harness/people';
import { makeTeams, makeWork } from './harness/teams';

const house = useHouse();

beforeAll(async () => {
    await makeTeams(house.server);
});
test('the pool at a glance: who has what, who waits and why, who had to leave, as it happens', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/');
    await visitor.logIn('admin');
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.getByText('Nobody waits.').waitFor();
    await page.getByText('128 free').waitFor();
    const device = page.getByRole('button', { name: /GPU \d+: b-train/ });
    expect(await device.count()).toBe(0);

    // Without a reload: who comes is seen, and who must leave for it, with the reason.
    await makeWork(house.server);
    await page
        .getByRole('button', { name: /GPU \d+: c-idle, runs/ })
        .first()
        .waitFor();
    await expect.poll(() => device.count()).toBe(32);
    await submit(house.server, 'a-serve', {
        quota: 'main',
        workspace: 'team-a',
        module: 'service',
        priority: 5,
        replicas: 3,
        resources: { gpu: 8 },
    });
    const preempted = page.getByRole('region', { name: 'Recent preemptions' });
    await preempted.getByText('for a-serve').waitFor();
    await preempted.getByText(/child-level preemption · by the policy of main · priority 1/).waitFor();
    const waiting = page.getByRole('region', { name: 'Waiting, by reason' });
    await waiting.getByText('Too little is free in its quotas').waitFor();
    await waiting.getByRole('link', { name: 'c-tune' }).waitFor();
    const tree = page.getByRole('region', { name: 'Quotas' });
    await tree.locator('[data-quota="main"]').getByText('124.5 / 128').waitFor();
    await tree.getByRole('img', { name: 'Inference 24, Training 88, Notebooks 12.5' }).waitFor();

    // By mouse: what a device says; everything that the same workload has is marked.
    await device.first().hover();
    const card = page.getByTestId('device-card');
    await card.getByText('Quota1.1').waitFor();
    await expect.poll(() => card.getByText('team-b').count()).toBe(1);
    await expect.poll(() => card.getByText(/ago|just now/).count()).toBe(1);
    await expect.poll(() => page.locator('button[data-lit="true"]').count()).toBe(32);
    await visitor.look('overview');
    await page.mouse.move(0, 0);

    // By keyboard: one stop for the Tab key, arrows from there.
    const first = page.getByRole('button', { name: /^local-0, GPU 0:/ });
    await first.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toMatch(/^local-0, GPU 5:/);
    await card.getByText('local-0, GPU 5').waitFor();
    await page.keyboard.press('End');
    await page
        .getByRole('button', { name: /^local-15, GPU 7:/ })
        .and(page.locator(':focus'))
        .waitFor();

    // Use over time; the choice stands in the address.
    await page.getByText('Day', { exact: true }).click();
    await page.waitForURL(/span=day/);
    await page.reload();
    await page.getByRole('img', { name: /In use: / }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('span')).toBe('day');

    // One workspace: only its own figures, its quotas and who of it waits.
    await visitor.go('/?ws=team-b');
    await page.locator('[data-quota="Quota1.1"]').waitFor();
    expect(await page.locator('[data-quota="Quota1.2"]').count()).toBe(0);
    await waiting.getByText('Nobody waits.').waitFor();
    await page.getByText('40.5 of 128').waitFor();
    // The others are still there, faded, and say who they are.
    await page.locator('button[data-faded="true"]').first().hover();
    await page.getByTestId('device-card').getByText('team-c').waitFor();
    await page
        .getByRole('button', { name: /GPU \d+: b-note/ })
        .first()
        .click();
    await page.waitForURL(/\/workloads\/w-/);
    await page.getByRole('heading', { name: /b-note/ }).waitFor();
    await visitor.close();
});

test('a member sees what their workspace has, and nobody else', async () => {
    await submit(house.server, 'b-wait', {
        quota: 'Quota1.1',
        workspace: 'team-b',
        priority: 2,
        replicas: 3,
        resources: { gpu: 8 },
    });
    const visitor = await house.visitor();
    const { page } = visitor;
    const refused: string[] = [];
    page.on('response', answer => {
        if (answer.status() === 403) refused.push(answer.url());
    });
    await visitor.go('/');
    await visitor.logIn('berta');
    await page.getByRole('heading', { name: 'GPUs that your work has' }).waitFor();
    await page
        .getByRole('button', { name: /GPU \d+: b-train/ })
        .first()
        .waitFor();
    await expect.poll(() => page.getByRole('button', { name: /GPU \d+: / }).count()).toBe(41);
    await page.getByRole('link', { name: 'b-wait' }).waitFor();
    await page.locator('[data-quota="Quota1.1"]').getByText('44.5 / 48').waitFor();
    await page.getByRole('img', { name: /In use: / }).waitFor();
    // Who takes their GPUs is told by what it is, not by its name.
    await submit(house.server, 'a-more', {
        quota: 'main',
        workspace: 'team-a',
        module: 'service',
        priority: 5,
        resources: { gpu: 8 },
        nodes: ['local-4'],
    });
    const preempted = page.getByRole('region', { name: 'Recent preemptions' });
    await preempted.getByText('for a service of another workspace, priority 5, 8 GPUs').waitFor();
    const everything = await page.content();
    for (const other of ['team-c', 'team-a', 'c-train', 'c-tune', 'a-serve', 'a-more', 'Quota1.2', 'admin']) {
        expect(everything, other).not.toContain(other);
    }
    expect(await page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    // What may not be seen is not even asked for.
    expect(refused).toEqual([]);
    await visitor.look('overview-member');
    await visitor.close();
});

test('whoever is in no workspace is told what to do', async () => {
    await makeUser(house.server, 'nobody');
    const visitor = await house.visitor();
    await visitor.go('/');
    await visitor.logIn('nobody');
    await visitor.page.getByText('You are in no workspace yet').waitFor();
    await visitor.close();
});
