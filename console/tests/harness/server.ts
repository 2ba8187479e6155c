import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const STARTS_WITHIN_MS = 30_000;

/** A real server with virtual GPUs, a free port and a directory of its own. */
export interface TestServer {
    url: string;
    /** The one-time link that the first start prints. */
    link: string;
    /** Asks the API as the administrator. Throws what was refused. */
    call<Answer = Record<string, unknown>>(
        method: string,
        path: string,
        body?: unknown,
        headers?: Record<string, string>,
    ): Promise<Answer>;
    /** Ends the process at once; `start` begins it anew, on the same port and data. */
    kill(): Promise<void>;
    start(): Promise<void>;
    close(): Promise<void>;
}

function binary(): string {
    const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
    const path = join(resolve(ROOT, target), 'debug/tidegate');
    if (!existsSync(path)) throw new Error(`${path} is missing: cargo build --bin tidegate`);
    return path;
}

function freePort(): Promise<number> {
    return new Promise((done, fail) => {
        const probe = createServer().on('error', fail);
        probe.listen(0, '127.0.0.1', () => {
            const address = probe.address();
            probe.close(() =>
                typeof address === 'object' && address ? done(address.port) : fail(new Error('no port')),
            );
        });
    });
}

/** `config`: lines of a configuration file. With the executor `local`, processes are real, and can be opened. */
export async function startServer(
    virtualGpus = '16x8',
    config = '',
    executor: 'virtual' | 'local' = 'virtual',
): Promise<TestServer> {
    const data = mkdtempSync(join(tmpdir(), 'tidegate-console-'));
    writeFileSync(join(data, 'config.toml'), config);
    const url = `http://127.0.0.1:${await freePort()}`;
    const apps = `127.0.0.1:${await freePort()}`;
    let output = '';
    let child: ChildProcess | undefined;

    const start = async () => {
        const flags = [
            '--config',
            join(data, 'config.toml'),
            '--executor',
            executor,
            ...(executor === 'local' ? ['--apps-listen', apps] : []),
            '--virtual-gpus',
            virtualGpus,
            '--data',
            join(data, 'd'),
            '--listen',
            url.slice(7),
        ];
        const started = spawn(binary(), ['serve', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
        child = started;
        started.stderr.on('data', piece => (output += String(piece)));
        started.stdout.on('data', piece => (output += String(piece)));
        const until = Date.now() + STARTS_WITHIN_MS;
        for (;;) {
            const isUp = await fetch(`${url}/readyz`).then(
                answer => answer.ok,
                () => false,
            );
            if (isUp) return;
            if (started.exitCode !== null || Date.now() > until)
                throw new Error(`the server did not start:\n${output}`);
            await new Promise(done => setTimeout(done, 50));
        }
    };
    const kill = async () => {
        const running = child;
        if (!running || running.exitCode !== null || running.signalCode !== null) return;
        const gone = new Promise(done => running.once('exit', done));
        running.kill('SIGKILL');
        await gone;
    };
    const call = async <Answer>(
        method: string,
        path: string,
        body?: unknown,
        headers: Record<string, string> = {},
    ) => {
        const token = readFileSync(join(data, 'd/admin.token'), 'utf8').trim();
        const answer = await fetch(url + path, {
            method,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
            body: body === undefined ? undefined : JSON.stringify(body),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return JSON.parse(text) as Answer;
    };

    await start();
    const linked = async () => {
        for (let tries = 0; tries < 100; tries += 1) {
            const link = /http\S+#\/invitation\/\S+/.exec(output)?.[0];
            if (link !== undefined) return link;
            await new Promise(done => setTimeout(done, 50));
        }
        throw new Error(`no one-time link was printed:\n${output}`);
    };
    const close = async () => {
        await kill();
        rmSync(data, { recursive: true, force: true });
    };
    return { url, link: await linked(), call, kill, start, close };
}
