import { defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';
const PROOF = 'test/proof/*.proof.ts';
const INCLUDED: Record<string, string> = { long: LONG, proof: PROOF };

/** `vitest run` is the gate; `--mode long` runs what takes longer than the gate allows, `--mode proof` what takes hours. */
export default defineConfig(({ mode }) => ({
  test: {
    include: [INCLUDED[mode] ?? 'test/**/*.test.ts'],
    exclude: mode === 'long' ? [] : [LONG],
    reporters: [
      'default',
      ['json', { outputFile: `node_modules/.cache/vitest-${mode === 'proof' ? 'proof' : 'results'}.json` }],
    ],
    globalSetup: ['scripts/build-stale.mjs'],
    // Emulators, renders and child processes: a process each, so that what one leaves behind harms no other.
    pool: 'forks',
    maxWorkers: 2,
    // Concurrent tests share an instance, which is what they are about.
    maxConcurrency: 250,
    testTimeout: mode in INCLUDED ? 600_000 : 60_000,
    hookTimeout: 60_000,
    // What is polled for comes when it comes; on a busy machine that is not within the second that is usual.
    expect: { poll: { timeout: 20_000 } },
  },
}));
