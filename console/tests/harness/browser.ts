import axe from 'axe-core';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { PASSWORD } from './people';

const SCREENS = resolve(import.meta.dirname, '../../test-results/screens');
const PLACES = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
];
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

export async function openBrowser(): Promise<Browser> {
    const executablePath = PLACES.find(place => place !== undefined && existsSync(place));
    if (executablePath === undefined) throw new Error('Chromium is missing: scripts/tools.sh installs it');
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Somebody's own browser: a context with its own cookies. Errors on the page fail the test at `close`. */
export class Visitor {
    readonly errors: string[] = [];

    private constructor(
        readonly context: BrowserContext,
        readonly page: Page,
        readonly url: string,
    ) {}

    static async open(browser: Browser, url: string): Promise<Visitor> {
        const context = await browser.newContext({
            viewport: WIDE,
            colorScheme: 'light',
            reducedMotion: 'reduce',
        });
        const page = await context.newPage();
        page.setDefaultTimeout(15_000);
        const visitor = new Visitor(context, page, url);
        page.on('pageerror', error => visitor.errors.push(String(error)));
        page.on('console', message => {
            // The browser reports every refused request by itself; the console shows those where they belong.
            const isRefusal = /Failed to load resource|net::ERR/.test(message.text());
            if (message.type() === 'error' && !isRefusal) visitor.errors.push(message.text());
        });
        return visitor;
    }

    async go(path: string): Promise<void> {
        await this.page.goto(this.url + path);
    }

    async logIn(user: string, password = PASSWORD): Promise<void> {
        await this.page.getByLabel('Name').fill(user);
        await this.page.locator('input[autocomplete=current-password]').fill(password);
        await this.page.getByRole('button', { name: 'Log in', exact: true }).click();
    }

    /** Waits until colours and positions are where they go: half-way, a text may be too pale for a moment. */
    private async settled(): Promise<void> {
        await this.page.waitForTimeout(100);
        await this.page.evaluate(async () => {
            const moving = () =>
                document
                    .getAnimations()
                    .filter(one => one.effect?.getComputedTiming().iterations !== Infinity);
            while (moving().length > 0) await Promise.allSettled(moving().map(one => one.finished));
        });
    }

    /** No serious finding of axe on what is shown now. */
    async checkAccessibility(): Promise<void> {
        await this.settled();
        await this.page.evaluate(axe.source);
        const found = await this.page.evaluate(async () => {
            const { axe } = window as unknown as { axe: typeof import('axe-core') };
            // What stands behind a dialog is dimmed, and cannot be reached.
            const { violations } = await axe.run(document.querySelector('[role=dialog]') ?? document, {
                runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
            });
            const serious = violations.filter(one => one.impact === 'serious' || one.impact === 'critical');
            return serious.map(
                one => `${one.id}: ${one.help}\n  ${one.nodes.map(node => node.html).join('\n  ')}`,
            );
        });
        expect(found.join('\n')).toBe('');
    }

    /** Looks at a screen in light and dark, wide and on a phone, checks each, and leaves pictures for people. */
    async look(name: string): Promise<void> {
        mkdirSync(SCREENS, { recursive: true });
        for (const [size, viewport] of [
            ['wide', WIDE],
            ['phone', PHONE],
        ] as const) {
            await this.page.setViewportSize(viewport);
            for (const colorScheme of ['light', 'dark'] as const) {
                await this.page.emulateMedia({ colorScheme });
                await this.page.evaluate(() => window.scrollTo(0, 0));
                await this.settled();
                const path = join(SCREENS, `${name}-${size}-${colorScheme}.png`);
                // A dialog stands before the window, not before the page.
                const fullPage = (await this.page.getByRole('dialog').count()) === 0;
                await this.page.screenshot({ path, fullPage });
                await this.checkAccessibility();
                expect(await this.overflow(), `${name} is wider than a ${size} page`).toBe(0);
            }
        }
        await this.page.setViewportSize(WIDE);
        await this.page.emulateMedia({ colorScheme: 'light' });
    }

    /** By how many pixels the page is wider than the window. */
    private overflow(): Promise<number> {
        return this.page.evaluate(() =>
            Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
        );
    }

    async close(): Promise<void> {
        await this.context.close();
        expect(this.errors).toEqual([]);
    }
}
