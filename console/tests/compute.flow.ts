import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { choosePassword, makeQuota, makeUser, makeWorkspace } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('2x8'));

beforeAll(async () => {
    const { server } = house;
    await choosePassword(server, 'admin');
    await makeQuota(server, 'shared', {
        parent: 'main',
        guarantee: { gpu: 4 },
        queue: { strategy: 'fair' },
        shared: true,
    });
    await makeQuota(server, 'reserve', { parent: 'main', guarantee: { gpu: 8 } });
    await makeWorkspace(server, 'team-b');
    await makeUser(server, 'berta', { 'team-b': 'developer' });
    await server.call('POST', '/api/v1/templates', {
        metadata: { name: 'render' },
        spec: { resources: { gpu: 1 } },
    });
});

const verdict = (page: Page) => page.getByTestId('verdict');
/** So many hours from now, as the browser's fields have it. */
function hours(from: number): string {
    const at = new Date(Date.now() + from * 3_600_000);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

test('a quota is marked as dedicated, a member asks, and what does not fit is refused with the time that would', async () => {
    const admin = await house.enter('admin', '/quotas/reserve');
    await admin.page.getByRole('switch', { name: 'Dedicated compute' }).click();
    await admin.page.getByRole('button', { name: 'Preview' }).click();
    await admin.page.getByTestId('preview').getByRole('button', { name: 'Save' }).click();
    await expect
        .poll(async () => (await house.server.call<{ spec: object }>('GET', '/api/v1/quotas/reserve')).spec)
        .toMatchObject({ dedicated: true });

    const berta = await house.enter('berta', '/compute');
    const { page } = berta;
    await page.getByText('No dedicated compute').waitFor();
    await berta.look('compute-empty');
    await page.getByRole('link', { name: 'Ask for compute' }).click();
    await page.getByRole('heading', { name: 'Ask for dedicated compute' }).waitFor();
    await page.getByLabel('Reason').fill('the demonstration');
    await page.getByLabel('GPUs', { exact: true }).fill('6');
    await page.getByLabel('Until').fill(hours(-2));
    await verdict(page).getByRole('heading', { name: 'Would be refused' }).waitFor();
    expect(await page.getByLabel('Until').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Until').fill(hours(2));
    await page.getByLabel('Lend what its tasks do not use').check();
    await verdict(page).getByRole('heading', { name: 'Would be asked for' }).waitFor();
    await verdict(page)
        .getByText(/^6 GPUs, .* – /)
        .waitFor();
    await berta.look('compute-ask');
    await verdict(page).getByRole('button', { name: 'Ask for it' }).click();
    await page.getByRole('row', { name: /rr-0 Pending team-b, berta 6 GPUs.*the demonstration/ }).waitFor();
    // Members decide nothing.
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Withdraw' }).waitFor();
    await page.getByRole('link', { name: 'Ask for compute' }).click();
    await page.getByLabel('Reason').fill('a rehearsal');
    await page.getByLabel('GPUs', { exact: true }).fill('4');
    await page.getByLabel('Until').fill(hours(1));
    await verdict(page).getByRole('button', { name: 'Ask for it' }).click();
    await page.getByRole('row', { name: /rr-1 Pending/ }).waitFor();

    await admin.page.getByRole('link', { name: 'Compute', exact: true }).click();
    await admin.page.getByRole('link', { name: 'Requests' }).click();
    const first = admin.page.getByRole('row', { name: /^rr-0/ });
    await first.getByRole('button', { name: 'Approve' }).click();
    await admin.page.getByTestId('preview').getByRole('button', { name: 'Approve' }).click();
    await first.getByText('Approved').waitFor();
    const second = admin.page.getByRole('row', { name: /^rr-1/ });
    await second.getByRole('button', { name: 'Approve' }).click();
    await admin.page
        .getByRole('dialog')
        .getByText(/2 GPUs are free .* and 4 GPUs are asked for; the earliest time that fits/)
        .waitFor();
    await admin.page.getByRole('button', { name: 'Cancel' }).click();
    await second.getByRole('button', { name: 'Decline' }).click();
    const decline = admin.page.getByTestId('preview').getByRole('button', { name: 'Decline' });
    await expect.poll(() => decline.getAttribute('aria-disabled')).toBe('true');
    await admin.page.getByLabel('Note').fill('after the demonstration');
    await admin.look('compute-decline');
    await decline.click();
    await second.getByText('Declined').waitFor();
    await second.getByText('by admin after the demonstration').waitFor();
    // Who asked has the page still open, and sees it.
    await page.getByRole('row', { name: /^rr-1 Declined/ }).waitFor();
    await admin.look('compute-requests');
    await admin.close();
    await berta.close();
});

test('tasks run on what was agreed; it is extended by who decides, and released by who asked', async () => {
    const berta = await house.enter('berta', '/compute');
    const { page } = berta;
    await page.getByRole('row', { name: /^rc-0 Active team-b 6 GPUs until .* 6 GPUs/ }).waitFor();
    await berta.look('compute-configs');
    await page.getByRole('link', { name: 'rc-0' }).click();
    const extend = page.getByRole('button', { name: 'Extend' });
    await extend.waitFor();
    expect(await extend.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('link', { name: 'Run a task there' }).click();
    await page.getByRole('link', { name: 'render' }).click();
    await expect
        .poll(() => page.getByRole('combobox', { name: 'Compute' }).inputValue())
        .toMatch(/^rc-0: 6 GPUs/);
    await page.getByLabel('Name').fill('first');
    await page.getByLabel('Played for').fill('10m');
    await verdict(page).getByRole('heading', { name: 'Would start now' }).waitFor();
    await berta.look('task-form-compute');
    await verdict(page).getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByText('rc-0', { exact: true }).waitFor();

    const admin = await house.enter('admin', '/compute/rc-0');
    await admin.page.getByText('1 running, 0 waiting').waitFor();
    await admin.look('compute-config');
    await admin.page.getByRole('button', { name: 'Extend' }).click();
    await admin.page.getByLabel('Over instead at').fill(hours(1));
    await admin.page.getByRole('button', { name: 'Preview' }).click();
    await admin.page.getByRole('alert').waitFor();
    await admin.page.getByLabel('Over instead at').fill(hours(5));
    await admin.page.getByRole('button', { name: 'Preview' }).click();
    await admin.page.getByTestId('preview').getByRole('button', { name: 'Extend' }).click();
    await expect.poll(() => admin.page.getByRole('dialog').count()).toBe(0);
    const { reserved } = await house.server.call<{ reserved: { end: string } }>(
        'GET',
        '/api/v1/resource-configs/rc-0',
    );
    expect(Date.parse(reserved.end)).toBeGreaterThan(Date.now() + 4 * 3_600_000);
    await admin.close();

    await berta.go('/compute/rc-0');
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByTestId('preview').getByText('1 task of it will be stopped').waitFor();
    await berta.look('compute-release');
    await page.getByTestId('preview').getByRole('button', { name: 'Release' }).click();
    await page.getByText('Ended', { exact: true }).first().waitFor();
    await berta.go('/tasks');
    await page.getByRole('row', { name: /^first (Failed|Cancelled)/ }).waitFor();
    await berta.close();
});

test('compute is asked for every week, or by usage', async () => {
    const berta = await house.enter('berta', '/compute/requests/new');
    const { page } = berta;
    await page.getByRole('heading', { name: 'Ask for dedicated compute' }).waitFor();
    await page.getByLabel('Reason').fill('the course');
    await page.getByLabel('GPUs', { exact: true }).fill('2');
    await page.getByText('Every week', { exact: true }).click();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('First day').fill('2028-03-20');
    await page.getByLabel('Last day').fill('2028-04-07');
    await verdict(page).getByText('2 GPUs, Mon, Tue, Wed, Thu, Fri 09:00–18:00 (Europe/Berlin)').waitFor();
    await berta.look('compute-ask-weekly');
    await page.getByText('By usage', { exact: true }).click();
    await page.getByLabel('GPUs by which it grows').fill('1');
    await verdict(page).getByText('0 to 2 GPUs, by 1').waitFor();
    await berta.look('compute-ask-usage');
    await verdict(page).getByRole('button', { name: 'Ask for it' }).click();
    await page.getByRole('row', { name: /0 to 2 GPUs, by 1/ }).waitFor();
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByTestId('preview').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('row', { name: /Withdrawn.*0 to 2 GPUs/ }).waitFor();
    await berta.close();
});
