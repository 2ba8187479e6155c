import { expect, test } from 'vitest';
import { SseReader } from './sse';

test('events are found however the text is cut', () => {
    const text =
        'id: 7\nevent: queued\ndata: {"a":1}\n\n: still here\n\nid: 8\nevent: started\ndata: x\ndata: y\n\n';
    for (let size = 1; size <= text.length; size += 1) {
        const reader = new SseReader();
        const frames = [];
        for (let at = 0; at < text.length; at += size) frames.push(...reader.push(text.slice(at, at + size)));
        expect(frames).toEqual([
            { id: '7', event: 'queued', data: '{"a":1}' },
            { id: '8', event: 'started', data: 'x\ny' },
        ]);
    }
});
