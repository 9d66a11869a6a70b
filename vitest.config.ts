import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { sampleOf } from './test/support/sample.ts';

const LONG = 'test/**/*.long.test.ts';
const PROOF = 'test/proof/*.proof.ts';
/**
 * Rooms whose tests start processes, open a browser or render. The gate runs a quarter of their files, drawn by `sampleOf`;
 * the long run all of them, and all rows of their tables.
 */
const SLOW_ROOMS = ['check', 'cli', 'client', 'container', 'dashboard', 'media', 'scenarios'];
/** Files of other rooms that draw rows of their tables: the gate tries these, the long run every one. */
const SAMPLED = [
  ...SLOW_ROOMS.map((room) => `test/${room}/**/*.test.ts`),
  'test/control/lies/told-lies.test.ts',
  'test/docs/webhook-receivers.test.ts',
  'test/control/receiver/spoilt-receivers.test.ts',
];
const INCLUDED: Record<string, string[]> = { long: [LONG, ...SAMPLED], proof: [PROOF] };
/** What a mode says to its tests. */
const SPOKEN: Record<string, Record<string, string>> = { long: { SAMPLES: 'whole' } };

/** Each file a process of its own: they look at what their process holds or runs, or take much of it. */
const ALONE = [
  'test/client/testing/**/*.test.ts',
  'test/control/{hung-up-wait,reset}.test.ts',
  'test/service/http/unfinished-requests.test.ts',
];

const DRAWN = new RegExp(`/test/(?:${SLOW_ROOMS.join('|')})/`);
const LONGEST = new RegExp(`/test/(?:docs|${SLOW_ROOMS.join('|')})/`);

/** The longest first, so that none is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [long, others] = [true, false].map((isLong) =>
      sorted.filter(({ moduleId }) => LONGEST.test(moduleId) === isLong),
    );
    return [...(long ?? []), ...(others ?? [])];
  }
}

/** Of the slow rooms a sample of the files. */
class Sample extends LongestFirst {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return super.sort(withSample(files));
  }
}

function withSample(files: readonly TestSpecification[]): TestSpecification[] {
  const drawnFrom = files.filter(({ moduleId }) => DRAWN.test(moduleId));
  const named = drawnFrom.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
  const sample = new Set(sampleOf(named, Math.ceil(named.length / 4)));
  return files.filter((file) => !DRAWN.test(file.moduleId) || sample.has(file));
}

const SHARED = {
  // Emulators, renders and child processes: what one leaves behind harms no other.
  pool: 'forks' as const,
  // Concurrent tests share an instance, which is what they are about.
  maxConcurrency: 250,
  hookTimeout: 60_000,
  // What is polled for comes when it comes; on a busy machine that is not within the second that is usual.
  expect: { poll: { timeout: 20_000 } },
};

/** One after another in the same processes: the sources are read once, not once a file. */
const TOGETHER = {
  ...SHARED,
  name: 'together',
  include: ['test/**/*.test.ts'],
  exclude: [...ALONE, LONG],
  isolate: false,
  testTimeout: 60_000,
};

function projectsOf(mode: string) {
  const included = INCLUDED[mode];
  if (included !== undefined) {
    const env = SPOKEN[mode] ?? {};
    return [{ test: { ...SHARED, name: mode, include: included, testTimeout: 600_000, env } }];
  }
  const alone = { ...SHARED, name: 'alone', include: ALONE, exclude: [LONG], testTimeout: 60_000 };
  return [{ test: alone }, { test: TOGETHER }];
}

/**
 * `--mode gate` is what `npm test` runs; without a mode all its files are run. `--mode long` runs what takes longer than the
 * gate allows, `--mode proof` what takes hours.
 */
export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: mode === 'gate' ? Sample : LongestFirst },
    reporters: [
      'default',
      ['json', { outputFile: `node_modules/.cache/vitest-${mode === 'proof' ? mode : 'results'}.json` }],
    ],
    globalSetup: ['scripts/build-stale.mjs', 'test/support/temporary-folder.ts'],
    // One more than the cores of a small machine: part of the time a test waits, for a process, a page or a receiver.
    maxWorkers: 3,
    projects: projectsOf(mode),
  },
}));
