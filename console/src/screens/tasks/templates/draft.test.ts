import { expect, test } from 'vitest';
import type { Template } from '../../../api/queries/tasks';
import { draftOf, emptyDraft, specOf, wrongIn } from './draft';

const spec = {
    workspace: 'team-b',
    description: 'how long a text is',
    command: ['sh', '-c', 'wc -c "$TIDEGATE_INPUT"'],
    env: { LANG: 'C' },
    resources: { gpu: 0.5, memory: '64Mi' },
    maxRunTime: '1m',
    retries: 2,
    outputLimit: '1Ki',
    warm: { workers: 2, idleTimeout: '1m' },
    inputSchema: { type: 'object' },
    aliases: { stable: 1 },
};

test('a template goes into the form and comes out as it was', () => {
    const draft = draftOf({ metadata: { name: 'measure' }, spec } as unknown as Template);
    expect(draft).toMatchObject({ name: 'measure', room: 'team-b', aliases: 'stable=1', env: 'LANG=C' });
    expect(specOf(draft)).toEqual(spec);
});

test('without workers that wait nothing is warm', () => {
    const draft = draftOf({ metadata: { name: 'measure' }, spec } as unknown as Template);
    expect(specOf({ ...draft, workers: 3 }).warm).toEqual({ workers: 3, idleTimeout: '1m' });
    for (const workers of ['', 0]) expect(specOf({ ...draft, workers }).warm).toBeUndefined();
});

test('what is empty is not said', () => {
    expect(specOf(emptyDraft)).toEqual({});
});

test('what cannot be sent is wrong at its field', () => {
    const wrong = wrongIn({ ...emptyDraft, command: "'", env: 'A', schema: '{', aliases: 'stable=one' });
    expect(Object.keys(wrong)).toEqual(['/spec/command', '/spec/env', '/spec/inputSchema', '/spec/aliases']);
    expect(wrongIn(emptyDraft)).toEqual({});
});
