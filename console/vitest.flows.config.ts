import { defineConfig } from 'vitest/config';

/** Flows drive a real browser against a real server: one after the other, with patience. */
export default defineConfig({
    test: {
        include: ['tests/**/*.flow.ts'],
        fileParallelism: false,
        testTimeout: 120_000,
        hookTimeout: 120_000,
        expect: { poll: { timeout: 15_000 } },
    },
});
