import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { longestTask } from './harness/mainThread';
import { choosePassword, makeQuota } from './harness/people';

const ALL = 5_000;
const BATCH = 1_000;
const house = useHouse();

/** 128 of them run, all others wait: each says why. */
beforeAll(async () => {
    await choosePassword(house.server, 'admin');
    await makeQuota(house.server, 'Quota1', { parent: 'main', guarantee: { gpu: 128 } });
    for (let from = 0; from < ALL; from += BATCH) {
        const items = Array.from({ length: BATCH }, (_, index) => ({
            metadata: { name: `job-${String(from + index).padStart(4, '0')}` },
            spec: {
                quota: 'Quota1',
                workspace: 'default',
                priority: 1 + ((from + index) % 9),
                resources: { gpu: 1 },
                gracePeriod: '0s',
                virtual: { duration: '10h' },
            },
        }));
        const { accepted } = await house.server.call<{ accepted: number }>(
            'POST',
            '/api/v1/workloads:batch',
            {
                items,
            },
        );
        expect(accepted).toBe(BATCH);
    }
});

test('a list of 5,000 is scrolled to its end, filtered, and stays live', async () => {
    const visitor = await house.visitor();
    const { page } = visitor;
    await visitor.go('/workloads');
    await visitor.logIn('admin');
    await page.getByRole('row', { name: /job-4999/ }).waitFor();
    await visitor.look('workloads-many');
    const list = page.getByRole('region', { name: 'Workloads' });
    // Only what is seen is drawn, and only what is near is read.
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    await page.getByTestId('count').getByText('more as you scroll').waitFor();

    const last = page.getByRole('row', { name: /job-0000/ });
    const { wallMs, cpuMs } = await longestTask(page, async () => {
        for (let turns = 0; (await last.count()) === 0; turns += 1) {
            expect(turns).toBeLessThan(400);
            await list.evaluate(element => element.scrollBy(0, 1_500));
            await page.waitForTimeout(60);
        }
    });
    await page.getByTestId('count').getByText('5000 workloads').waitFor();
    console.log(`the longest task while scrolling: ${wallMs} ms, ${cpuMs} ms of them computing`);
    expect(cpuMs).toBeGreaterThan(0);
    expect(cpuMs).toBeLessThan(100);

    // What happens at the head is seen when one comes back to it.
    await list.evaluate(element => element.scrollTo(0, 0));
    await page.getByRole('row', { name: /job-4999/ }).waitFor();
    await house.server.call('POST', '/api/v1/workloads', {
        metadata: { name: 'late' },
        spec: { quota: 'Quota1', workspace: 'default', resources: { gpu: 1 }, gracePeriod: '0s' },
    });
    await page.getByRole('row', { name: /late/ }).waitFor();

    await page.getByLabel('Name begins with').fill('job-12');
    await page.getByTestId('count').getByText('100 workloads').waitFor();
    await page.getByRole('row', { name: /job-1299/ }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Running' }).click();
    await page.getByTestId('count').getByText('128 workloads').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('running');
    await visitor.close();
});
