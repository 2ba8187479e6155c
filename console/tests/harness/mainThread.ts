import type { Page } from 'playwright-core';

/** The longest task of a page's main thread, in milliseconds: as people wait for it, and as much of it as was computing. */
export interface LongestTask {
    wallMs: number;
    /** The same however busy the machine is with other things. */
    cpuMs: number;
}

interface TraceEvent {
    name: string;
    ph: string;
    pid: number;
    tid: number;
    dur?: number;
    tdur?: number;
    args?: { name?: string };
}

/** Does something with a page and looks how long its main thread was busy at a time. */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<LongestTask> {
    const browser = page.context().browser();
    if (!browser) throw new Error('the page has no browser of its own');
    await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
    await work();
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
    const mains = new Set(
        trace.traceEvents
            .filter(event => event.name === 'thread_name' && event.args?.name === 'CrRendererMain')
            .map(threadOf),
    );
    const tasks = trace.traceEvents.filter(
        event => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(threadOf(event)),
    );
    if (tasks.length === 0) throw new Error('the trace has no task of the main thread');
    const most = (part: 'dur' | 'tdur') => Math.max(...tasks.map(task => task[part] ?? 0)) / 1_000;
    return { wallMs: Math.round(most('dur')), cpuMs: Math.round(most('tdur')) };
}
