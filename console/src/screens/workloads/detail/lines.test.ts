import { expect, test } from 'vitest';
import { fromBase64, Lines } from './lines';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (lines: Lines) => lines.list().map(line => `${line.replica} ${line.text}`);

test('lines come in pieces, of several replicas, and letters may be cut in two', () => {
    const lines = new Lines(100);
    lines.add(0, bytes('step 1\nst'));
    lines.add(1, bytes('hello\n'));
    lines.add(0, bytes('ep 2\n'));
    const e = bytes('é\n');
    lines.add(1, e.slice(0, 1));
    lines.add(1, e.slice(1));
    expect(texts(lines)).toEqual(['0 step 1', '0 step 2', '1 hello', '1 é']);
});

test('empty lines are lines', () => {
    const lines = new Lines(100);
    lines.add(0, bytes('a\n\nb\n'));
    lines.add(0, bytes('\nc'));
    expect(lines.list().map(line => line.text)).toEqual(['a', '', 'b', '', 'c']);
});

test('what was written for a terminal is shown as text', () => {
    const lines = new Lines(100);
    lines.add(0, bytes('\u001b[32mok\u001b[0m\r\n10%\r20%\r100%\n'));
    expect(lines.list().map(line => line.text)).toEqual(['ok', '100%']);
});

test('only the latest lines are kept', () => {
    const lines = new Lines(10);
    lines.add(0, bytes(Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join('')));
    expect(lines.list().at(-1)?.text).toBe('line 49');
    expect(lines.list().length).toBe(10);
    expect(lines.dropped).toBe(40);
});

test('bytes come as base64', () => {
    expect(new TextDecoder().decode(fromBase64('w6kK'))).toBe('é\n');
});
