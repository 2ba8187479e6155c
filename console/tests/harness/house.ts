import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser, Visitor } from './browser';
import { startServer, type TestServer } from './server';

/** A server and a browser for all tests of a file: they come before its own preparations and go after them. */
export interface House {
    readonly server: TestServer;
    /** Somebody new in front of a window of their own; `url` is another server. */
    visitor(url?: string): Promise<Visitor>;
    /** Somebody who has logged in on the way to a page. */
    enter(user: string, path: string): Promise<Visitor>;
}

export function useHouse(start: () => Promise<TestServer> = startServer): House {
    let server: TestServer;
    let browser: Browser;
    beforeAll(async () => {
        [server, browser] = await Promise.all([start(), openBrowser()]);
    });
    afterAll(async () => {
        await browser?.close();
        await server?.close();
    });
    const visitor = (url = server.url) => Visitor.open(browser, url);
    return {
        get server() {
            return server;
        },
        visitor,
        async enter(user, path) {
            const entered = await visitor();
            await entered.go(path);
            await entered.logIn(user);
            return entered;
        },
    };
}
