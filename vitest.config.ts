import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = 'test/**/*.long.test.ts';
const PROOF = 'test/proof/*.proof.ts';
/** Each file a process of its own: they look at what their process holds or runs. */
const ALONE = ['test/control/{hung-up-wait,reset}.test.ts'];

/** Folders whose tests start processes: that takes as long as the memory of the parent, which grows with each file. */
const STARTING = /\/test\/(?:check|cli|client|container|docs|examples|scenarios)\//;
/** Of these, those that wait until the tools of the checks are installed, which begins next to the first tests. */
const WITH_TOOLS = /\/test\/(?:client\/runners|container|docs)\//;
/** Folders whose tests open a browser or render. */
const SLOW = /\/test\/(?:dashboard|engine\/generation|media)\//;

/** The longest first, so that none is left alone at the end; before them those that share no process, which would end one that is shared. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'alone') return 0;
      if (WITH_TOOLS.test(moduleId)) return 2;
      if (STARTING.test(moduleId)) return 1;
      return SLOW.test(moduleId) ? 3 : 4;
    };
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

// Otherwise a shared process would grow to a gigabyte, most of it free.
process.env.MALLOC_ARENA_MAX ??= '2';
const SMALL_HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=40'];

const SHARED = {
  // Emulators, renders and child processes: what one leaves behind harms no other.
  pool: 'forks' as const,
  execArgv: SMALL_HEAP,
  // Concurrent tests share an instance, which is what they are about.
  maxConcurrency: 250,
  hookTimeout: 120_000,
  // What is polled for comes when it comes; on a busy machine that is not within the second that is usual.
  expect: { poll: { timeout: 60_000 } },
};

/** One after another in the same processes: the sources are read once, not once a file. */
const TOGETHER = {
  ...SHARED,
  name: 'together',
  include: ['test/**/*.test.ts'],
  exclude: [...ALONE, LONG],
  isolate: false,
  testTimeout: 120_000,
};

function projectsOf(mode: string) {
  if (mode === 'long' || mode === 'proof') {
    const include = [mode === 'long' ? LONG : PROOF];
    return [{ test: { ...SHARED, name: mode, include, testTimeout: 600_000 } }];
  }
  const alone = { ...SHARED, name: 'alone', include: ALONE, exclude: [LONG], testTimeout: 120_000 };
  return [{ test: alone }, { test: TOGETHER }];
}

/** Without a mode every test that is not named `.long` is run; `--mode long` runs those, `--mode proof` what takes hours. */
export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      ['json', { outputFile: `node_modules/.cache/vitest-${mode === 'proof' ? mode : 'results'}.json` }],
    ],
    globalSetup: ['scripts/build-stale.mjs', 'test/support/temporary-folder.ts'],
    // Twice the cores of a small machine: part of the time a test waits, for a process, a page or a receiver.
    maxWorkers: 4,
    projects: projectsOf(mode),
  },
}));
