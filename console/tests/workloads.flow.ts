import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace, submit } from './harness/people';

const house = useHouse();

/** The worked example: everything is in use, and the root may evict training and notebooks below it. */
beforeAll(async () => {
    await choosePassword(house.server, 'admin');
    await makeQuota(house.server, 'Quota1', {
        parent: 'main',
        guarantee: { gpu: 128 },
        preemption: { childLevel: { victims: { priorities: '1-9', modules: ['training', 'notebook'] } } },
    });
    await makeQuota(house.server, 'Quota1.1', { parent: 'Quota1', guarantee: { gpu: 48 } });
    await makeQuota(house.server, 'Quota1.2', { parent: 'Quota1', guarantee: { gpu: 80 } });
    await makeWorkspace(house.server, 'team-c', ['Quota1.2']);
    await makeUser(house.server, 'carol', { 'team-c': 'developer' });
    const b = { quota: 'Quota1.1' };
    const c = { quota: 'Quota1.2', workspace: 'team-c' };
    await submit(house.server, 'b-train', { ...b, priority: 3, replicas: 5, resources: { gpu: 8 } });
    await submit(house.server, 'b-note', { ...b, module: 'notebook', resources: { gpu: 8 } });
    await submit(house.server, 'c-train', { ...c, priority: 2, replicas: 6, resources: { gpu: 8 } });
    await submit(house.server, 'c-tune', { ...c, replicas: 2, resources: { gpu: 8 } });
    await submit(house.server, 'c-note1', { ...c, module: 'notebook', resources: { gpu: 4 } });
    await submit(house.server, 'c-note2', { ...c, module: 'notebook', priority: 2, resources: { gpu: 4 } });
    await submit(house.server, 'c-serve', { ...c, module: 'service', resources: { gpu: 8 } });
});

test('the form says what would happen while one types, names the victims, and they are seen to leave', async () => {
    const watcher = await house.enter('admin', '/workloads');
    const tuned = watcher.page.getByRole('row', { name: /c-tune/ });
    await tuned.getByText('Running').waitFor();
    await watcher.page.getByText('Live', { exact: true }).waitFor();

    const visitor = await house.enter('admin', '/workloads');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
    const verdict = page.getByTestId('verdict');
    // Of what is wrong, the field says it, and nothing can be submitted.
    await page.getByLabel('Name').fill('a serve');
    await page
        .getByText(/' ' is not allowed/)
        .first()
        .waitFor();
    await expect.poll(() => verdict.getByRole('button').isDisabled()).toBe(true);
    await page.getByLabel('Name').fill('a-serve');
    await page.getByRole('combobox', { name: 'Quota' }).click();
    await page.getByRole('option', { name: 'Quota1.1', exact: true }).click();
    await page.getByLabel('GPUs each').fill('8');
    await page.getByLabel('Replicas', { exact: true }).fill('2');
    await verdict.getByRole('heading', { name: 'Would wait' }).waitFor();
    await verdict.getByText('short 16 of 16 GPUs').waitFor();
    await visitor.look('workload-form-waits');

    await page.getByRole('combobox', { name: 'Quota' }).click();
    await page.getByRole('option', { name: 'Quota1', exact: true }).click();
    await page.getByText('Service', { exact: true }).click();
    await page.getByLabel('Replicas', { exact: true }).fill('4');
    await page.getByLabel('Priority').fill('5');
    await page.getByLabel('Grace period').fill('0s');
    await verdict.getByRole('heading', { name: 'Would preempt 4 workloads' }).waitFor();
    for (const victim of ['c-note1', 'c-note2', 'c-tune', 'b-note'])
        await verdict.getByText(victim).waitFor();
    expect(await verdict.getByText('c-serve').count()).toBe(0);
    await visitor.look('workload-form-preempts');

    await verdict.getByRole('button', { name: 'Submit and preempt 4' }).click();
    await page.getByRole('heading', { name: 'a-serve' }).waitFor();
    // The other window was not touched.
    await tuned.getByText('Queued').waitFor();
    await tuned.getByText(/short 16 of 16 GPUs/).waitFor();
    await watcher.page
        .getByRole('row', { name: /a-serve/ })
        .getByText('Running')
        .waitFor();
    await watcher.look('workloads');
    await watcher.close();
    await visitor.close();
});

test('filters stand in the URL, and nobody sees another team', async () => {
    const visitor = await house.enter('admin', '/workloads?state=queued&module=training');
    const { page } = visitor;
    await page.getByRole('row', { name: /c-tune/ }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /b-note|c-train|a-serve/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /b-note/ }).waitFor();
    await page.getByLabel('Name begins with').fill('b-');
    await page.getByRole('row', { name: /c-tune/ }).waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).searchParams.get('find')).toBe('b-');
    await page.getByLabel('Name begins with').fill('nothing like it');
    await page.getByRole('heading', { name: 'Nothing fits these filters' }).waitFor();
    await visitor.look('workloads-empty');
    await visitor.close();

    const carol = await house.enter('carol', '/workloads');
    await carol.page.getByRole('row', { name: /c-tune/ }).waitFor();
    expect(await carol.page.getByText(/b-train|b-note|a-serve/).count()).toBe(0);
    await carol.close();
});

test('a workload tells its life, why it waits, and what can be done; what cannot says why', async () => {
    const visitor = await house.enter('admin', '/workloads');
    const { page } = visitor;
    // By keyboard: the row is opened with Enter.
    await page.getByRole('row', { name: /c-tune/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'c-tune' }).waitFor();
    await page.getByRole('img', { name: /Timeline of c-tune: .*Running for .* then Queued for/ }).waitFor();
    await page.getByRole('list', { name: 'Interruptions' }).getByText('Preempted by a-serve').waitFor();
    await page.getByText('starts when 16 GPUs come free for Quota1.2').waitFor();
    await page.getByText('number 2 in the queue of Quota1.2').waitFor();
    const restart = page.getByRole('button', { name: 'Restart' });
    await expect.poll(() => restart.getAttribute('aria-disabled')).toBe('true');
    await restart.hover();
    await page.getByRole('tooltip').filter({ hasText: 'Only what runs is restarted' }).waitFor();
    await page.mouse.move(0, 0);
    await visitor.look('workload');

    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('row', { name: /Preempted by a-serve/ }).waitFor();
    await visitor.look('workload-events');
    await page.getByRole('tab', { name: 'Monitoring' }).click();
    await page.getByText('Replicas, GPUs').waitFor();
    await visitor.look('workload-monitoring');
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('alert').filter({ hasText: 'the virtual executor starts nothing' }).waitFor();
    await page.getByRole('tab', { name: 'Specification' }).click();
    await page.getByText('"gracePeriod": "0s"').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('spec');
    await visitor.look('workload-spec');
    await visitor.close();
});

test('actions are previewed, done, and seen at once', async () => {
    const visitor = await house.enter('admin', '/workloads/a-serve');
    const { page } = visitor;
    const preview = page.getByTestId('preview');
    await page.getByText('4 workloads had to go for it').waitFor();

    await page.getByRole('button', { name: 'Priority' }).click();
    await page.getByRole('dialog').getByLabel('Priority').fill('7');
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview.getByText('Nobody is evicted').waitFor();
    await preview.getByRole('button', { name: 'Priority' }).click();
    await page.getByText('7 (submitted with 5)').waitFor();

    await page.getByRole('button', { name: 'Resize' }).click();
    await page.getByRole('dialog').getByLabel('Replicas').fill('3');
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview.getByText('1 workload will lose replicas').waitFor();
    await preview.getByRole('button', { name: 'Resize' }).click();
    await page.getByText('3 / 3').waitFor();

    await page.getByRole('button', { name: 'Stop' }).click();
    await preview.getByRole('heading', { name: '1 workload will end' }).waitFor();
    await preview.getByText('c-tune').waitFor();
    await visitor.look('workload-stop-preview');
    await preview.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    // Whoever has ended is started again as a workload of its own, with the same name.
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await preview.getByText('c-tune').waitFor();
    await preview.getByRole('button', { name: 'Start', exact: true }).click();
    await expect.poll(() => page.url()).not.toContain('a-serve');
    await page.getByText('Running', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Stop' }).click();
    await preview.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await preview.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Workloads' }).waitFor();
    await visitor.close();

    const carol = await house.enter('carol', '/workloads/c-tune');
    const stop = carol.page.getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    await expect.poll(() => stop.getAttribute('aria-disabled')).toBe('true');
    await stop.hover();
    await carol.page.getByRole('tooltip').filter({ hasText: 'It belongs to admin' }).waitFor();
    await carol.close();
});

test('a gang of several roles is submitted, and another like it begins with the same', async () => {
    const visitor = await house.enter('admin', '/workloads/new?quota=Quota1.2');
    const { page } = visitor;
    const verdict = page.getByTestId('verdict');
    await page.getByText('Several roles').click();
    const workers = page.getByRole('group', { name: 'Role worker' });
    await workers.getByLabel('GPUs each').fill('8');
    await workers.getByLabel('Replicas').fill('20');
    await page.getByTestId('total').getByText('160 GPUs in all, 21 replicas').waitFor();
    await verdict.getByRole('heading', { name: 'Would be refused' }).waitFor();
    await verdict.getByText(/needs 160 GPUs/).waitFor();
    await workers.getByLabel('Replicas').fill('2');
    await verdict.getByRole('heading', { name: 'Would wait' }).waitFor();
    await page.getByLabel('Environment').fill('EPOCHS');
    await page.getByText('Line 1 has no =').waitFor();
    await expect.poll(() => verdict.getByRole('button').isDisabled()).toBe(true);
    await page.getByLabel('Environment').fill('EPOCHS=3');
    await page.getByLabel('Name', { exact: true }).fill('gang');
    await visitor.look('workload-form-roles');
    await verdict.getByRole('button', { name: 'Submit and wait' }).click();
    await page.getByRole('heading', { name: 'gang' }).waitFor();
    await page.getByText('Queued', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Submit another like it' }).click();
    await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
    await expect.poll(() => workers.getByLabel('Replicas').inputValue()).toBe('2');
    await expect.poll(() => page.getByLabel('Environment').inputValue()).toBe('EPOCHS=3');
    await page.getByText('Notebook', { exact: true }).click();
    await page.getByLabel('Stop when unused for').fill('soon');
    await verdict.getByRole('heading', { name: 'Would be refused' }).waitFor();
    await expect
        .poll(() => page.getByLabel('Stop when unused for').getAttribute('aria-invalid'))
        .toBe('true');
    await visitor.close();
});
