import { expect, test } from 'vitest';
import { bytes, figure, gpuOf, gpuText } from './amounts';

test('figures are written without noise', () => {
    expect(figure(48)).toBe('48');
    expect(figure(0.5)).toBe('0.5');
    expect(bytes(1.5 * 1024 ** 4)).toBe('1.5 TiB');
    expect(bytes(-512)).toBe('-512 B');
});

test('GPUs of several models are told apart, and added up', () => {
    expect(gpuOf({ gpu: { H100: 48, A100: 16 } })).toBe(64);
    expect(gpuText({ gpu: { H100: 48, A100: 16 } })).toBe('H100 48, A100 16');
    expect(gpuText({ gpu: 8 })).toBe('8');
});
