import { defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';

/** `vitest run` is the gate; `--mode long` runs what takes longer than the gate allows. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'long' ? [LONG] : ['test/**/*.test.ts'],
    exclude: mode === 'long' ? [] : [LONG],
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/vitest-results.json' }]],
    globalSetup: ['scripts/build-stale.mjs'],
    // Emulators, renders and child processes: a process each, so that what one leaves behind harms no other.
    pool: 'forks',
    maxWorkers: 2,
    // Concurrent tests share an instance, which is what they are about.
    maxConcurrency: 250,
    testTimeout: mode === 'long' ? 600_000 : 60_000,
    hookTimeout: 60_000,
  },
}));
