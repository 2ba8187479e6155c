import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { longestTask } from './harness/mainThread';
import { choosePassword, makeQuota } from './harness/people';

const house = useHouse();

/** Each is submitted, starts and ends: with what the quotas say of it, more than three events. */
const EACH_TURN = 18;
const TURN_MS = 250;
const SECONDS = 10;

beforeAll(async () => {
    await choosePassword(house.server, 'admin');
    await makeQuota(house.server, 'Quota1', { parent: 'main', guarantee: { gpu: 128 } });
});

let submitted = 0;

/** Lets so much happen, turn by turn. Gives back how many events that were for each second. */
async function happen(seconds: number): Promise<number> {
    const { server } = house;
    const first = submitted + 1;
    const began = Date.now();
    for (let turn = 0; turn < (seconds * 1_000) / TURN_MS; turn += 1) {
        const items = Array.from({ length: EACH_TURN }, () => ({
            metadata: { name: `busy-${(submitted += 1)}` },
            spec: {
                quota: 'Quota1',
                workspace: 'default',
                resources: { gpu: 1 },
                gracePeriod: '0s',
                virtual: { duration: '1500ms' },
            },
        }));
        await server.call('POST', '/api/v1/workloads:batch', { items });
        const rest = began + (turn + 1) * TURN_MS - Date.now();
        if (rest > 0) await new Promise(done => setTimeout(done, rest));
    }
    const took = (Date.now() - began) / 1_000;
    return ((await eventOf(submitted)) - (await eventOf(first))) / took;
}

/** The number in the log of the first event of one of them. */
async function eventOf(index: number): Promise<number> {
    const { items } = await house.server.call<{ items: { number: number }[] }>(
        'GET',
        `/api/v1/workloads/busy-${index}/events`,
    );
    return Math.min(...items.map(event => event.number));
}

/** What the page keeps, in MB, when nothing is left that nobody needs. */
async function keptMb(page: Page): Promise<number> {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
    await session.detach();
    return usedSize / 1_000_000;
}

test('while much happens, the page answers, and keeps little of it', async () => {
    const admin = await house.enter('admin', '/');
    const { page } = admin;
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    const device = () => page.getByRole('button', { name: /GPU \d+: busy-/ }).first();
    const row = () => page.getByRole('row', { name: /^busy-/ }).first();
    for (const [path, name, latest] of [
        ['/', 'the overview', device],
        ['/workloads', 'the list of workloads', row],
    ] as const) {
        await admin.go(path);
        await happen(2);
        const before = await keptMb(page);
        let perSecond = 0;
        const { wallMs, cpuMs } = await longestTask(page, async () => {
            const all = happen(SECONDS);
            // It is shown as it happens.
            await latest().waitFor();
            perSecond = await all;
        });
        await page.waitForTimeout(2_000);
        const after = await keptMb(page);
        console.log(
            `${name}: ${perSecond.toFixed(0)} events a second, the longest task ${wallMs} ms, ${cpuMs} ms of them computing; ` +
                `${before.toFixed(1)} MB kept before, ${after.toFixed(1)} MB after`,
        );
        expect(perSecond).toBeGreaterThan(100);
        expect(cpuMs).toBeLessThan(100);
        expect(after).toBeLessThan(before + 10);
    }
    // The list has followed to the end.
    await page.getByRole('row', { name: new RegExp(`^busy-${submitted} `) }).waitFor();
    await admin.close();
});
