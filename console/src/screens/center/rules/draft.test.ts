import { expect, test } from 'vitest';
import { draftOf, isFree, isSame, MODULES, specOf } from './draft';

const FULL = {
    modules: ['training', 'notebook'],
    roles: ['developer'],
    maxPriority: [{ role: 'developer', priority: 5 }],
    limits: [{ member: 'berta', priorities: '1-5', gpu: 8, cpu: 0.5, memory: '1Ti' }],
    training: { maxWait: '4h' },
    notebook: { maxRunTime: '12h', exempt: ['boris'], idle: { after: '30m', cpuPercent: 5, gpuPercent: 0 } },
    presets: [{ name: 'small', modules: ['notebook'], resources: { gpu: 1 } }],
} as const;

test('rules go into the form and come out as they were', () => {
    const spec = JSON.parse(JSON.stringify(FULL)) as Parameters<typeof draftOf>[0];
    expect(JSON.parse(JSON.stringify(specOf(draftOf(spec))))).toEqual(FULL);
});

test('no rules allow everything', () => {
    const draft = draftOf({});
    expect(draft.modules).toEqual(MODULES);
    expect(specOf(draft)).toEqual({});
    expect(isFree({ limits: [], modules: null, notebook: {} })).toBe(true);
    expect(isFree({ maxPriority: [{ role: 'guest', priority: 1 }] })).toBe(false);
});

test('a line for nobody is sent as it is, so that the server names the field', () => {
    const draft = draftOf({});
    draft.limits.push({ who: '', priorities: '', gpu: 4, cpu: '', memory: '' });
    expect(specOf(draft).limits).toEqual([{ gpu: 4 }]);
    expect(isSame(draft, draftOf({}))).toBe(false);
});

test('no module is a rule, too', () => {
    expect(specOf({ ...draftOf({}), modules: [] }).modules).toEqual([]);
});
