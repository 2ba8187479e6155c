import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeTeams, makeWork } from './harness/teams';

const house = useHouse();

beforeAll(async () => {
    await makeTeams(house.server);
    await makeWork(house.server);
});
test('a scenario runs as it is written, errors stand in their place, and a reload loses nothing', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/what-if');
    await visitor.logIn('berta');
    const editor = page.getByLabel('Scenario, in the scenario language');
    const events = page.getByRole('region', { name: 'What happens' });

    // It begins with an example: the bars say who waits when, and who had to leave for whom.
    const lane = page.getByRole('button', { name: 'c-tune: runs 0s to 1h, waits 1h to 2h, runs 2h to 3h' });
    await lane.waitFor();
    await page
        .locator('[data-lane="c-tune"]')
        .getByRole('img', { name: '1h: c-tune preempted for a-serve (child-level)' })
        .waitFor();
    await page.getByRole('img', { name: /Quota1\.1 scaled 48 → 56/ }).waitFor();
    await visitor.look('what-if');

    // One lane narrows the list; that stands in the address.
    await lane.click();
    await page.waitForURL(/of=c-tune/);
    await events.getByText('short 16 of 16 GPUs').first().waitFor();
    await expect.poll(() => events.getByText('b-train').count()).toBe(0);
    await events.getByRole('button', { name: 'Show everything' }).click();
    await events.getByText('b-train').first().waitFor();

    // A mistake is shown where it is, while one types.
    await editor.fill(
        'pool h100 2x8 H100\nquota Q 16 pool=h100\nat 0s submit mine Q training p10 1x8 for 1h\n',
    );
    const alert = page.getByRole('alert');
    await alert.getByText('Line 3, column 30').waitFor();
    await alert.getByText('expected a priority, p1 to p9, found "p10"').waitFor();
    await expect.poll(() => editor.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => page.locator('pre [data-kind][data-bad="true"]').textContent()).toBe('p10');
    await page.getByText('This is the last run that could be read.').waitFor();
    await visitor.look('what-if-error');
    await alert.getByRole('button', { name: 'Show me' }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'mine: runs 0s to 1h, finished' }).waitFor();
    await alert.waitFor({ state: 'detached' });

    await page.reload();
    await page.getByRole('button', { name: 'mine: runs 0s to 1h, finished' }).waitFor();
    await expect.poll(() => editor.inputValue()).toContain('submit mine Q training p1 1x8');

    // An example takes its place, and gives it back.
    await page.getByRole('button', { name: 'Begin with an example' }).click();
    await page.getByRole('menuitem', { name: 'Idle GPUs are lent, and taken back' }).click();
    await page.getByRole('button', { name: /^nightly: runs 0s to 8h/ }).waitFor();
    await page.getByRole('button', { name: 'Back to what I had' }).click();
    await page.getByRole('button', { name: 'mine: runs 0s to 1h, finished' }).waitFor();

    // The present state is everybody's: members cannot begin there, and are told why.
    await expect.poll(() => page.getByLabel('Start from the current state').isDisabled()).toBe(true);
    await page.getByText('Only platform administrators may do this.').waitFor();
    await visitor.close();
});

test('an administrator begins with the current state, and nothing of it is changed', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/what-if');
    await visitor.logIn('admin');
    await page.getByRole('button', { name: 'Begin with an example' }).click();
    await page.getByRole('menuitem', { name: /who must leave if a node is drained/ }).click();
    await page.waitForURL(/from=server/);
    const events = page.getByRole('region', { name: 'What happens' });
    await events.getByText('node: this would happen').waitFor();
    await events.getByText('cordoned').first().waitFor();
    // Those to whom nothing happens are there as well.
    await page.locator('[data-lane="c-train"]').waitFor();
    await visitor.look('what-if-server');
    const { items } = await house.server.call<{ items: { status: { state: string } }[] }>(
        'GET',
        '/api/v1/nodes',
    );
    expect(items.every(node => node.status.state === 'ready')).toBe(true);
    await page.reload();
    await page.locator('[data-lane="c-train"]').waitFor();
    await expect.poll(() => page.getByLabel('Start from the current state').isChecked()).toBe(true);
    await visitor.close();
});
