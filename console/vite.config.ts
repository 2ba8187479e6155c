import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { themeCss } from './scripts/theme-css.ts';

/** The server that `npm run dev` talks to. */
const server = process.env.TIDEGATE_SERVER ?? 'http://127.0.0.1:7070';

export default defineConfig({
    plugins: [react(), themeCss()],
    build: {
        target: 'es2023',
        assetsInlineLimit: 0,
        sourcemap: false,
        chunkSizeWarningLimit: 700,
        modulePreload: { polyfill: false },
    },
    // The Host stays what the browser says: the server compares it with the Origin.
    server: { proxy: { '/api': { target: server, changeOrigin: false }, '/version': server } },
    test: { include: ['src/**/*.test.{ts,tsx}'] },
} as Parameters<typeof defineConfig>[0]);
