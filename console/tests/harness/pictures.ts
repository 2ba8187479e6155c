import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** Where pictures for the documentation go; without it none are made. `npm run pictures` says where. */
const FOLDER = process.env.PICTURES;
/** Small enough to be kept with the text that they belong to. */
const MOST_BYTES = 100_000;
const HEIGHT = 720;
/** What always stands at the top of the window. */
const BAR = 64;

interface Framed {
    height?: number;
    /** What the picture begins with; the beginning of the page if absent. */
    at?: Locator;
}

/** What is in the window now, as a picture for the documentation. */
export async function picture(page: Page, name: string, framed: Framed = {}): Promise<void> {
    if (FOLDER === undefined) return;
    const folder = resolve(import.meta.dirname, '../..', FOLDER);
    const before = page.viewportSize();
    await page.setViewportSize({ width: 1180, height: framed.height ?? HEIGHT });
    await page.evaluate(() => window.scrollTo(0, 0));
    await framed.at?.evaluate((element, bar) => {
        element.scrollIntoView();
        window.scrollBy(0, -bar);
    }, BAR);
    await page.waitForTimeout(500);
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > MOST_BYTES)
        throw new Error(`${name} is ${bytes.length} bytes, more than ${MOST_BYTES}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.webp`), bytes);
    await session.detach();
    if (before) await page.setViewportSize(before);
}
