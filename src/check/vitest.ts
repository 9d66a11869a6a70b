import { test } from 'vitest';
import { searchAround } from '../base/config/config.ts';
import type { ExploreFunctionOptions } from './app/explore-function.ts';
import type { RunOptions } from './app/explore-settings.ts';
import type { CheckFunctionOptions, MutateFunctionOptions } from './check-function.ts';
import { check, explore, mutate } from './check-functions.ts';
import type { Story } from './runner/function-runner.ts';

export * from '../client/runners/vitest.ts';

/** What a test has beyond the time that its search may take, in milliseconds. */
const BEYOND_MS = 60_000;
const USUAL_MS = 60_000;

type OfTest<Options> = Options & { timeout?: number };

/**
 * A test that explores a story: it fails with the findings as its message. Options are those of `explore`; `timeout` is
 * the test's own, in milliseconds, by default twice its budget and a minute. In a run of `svc-emulator explore` or
 * `mutate` it is skipped: it would search anew in each of them.
 */
export function exploreTest(name: string, story: Story, options: OfTest<ExploreFunctionOptions> = {}): void {
  searchTest(name, options, () => explore(story, options));
}

/**
 * A test that runs a story while the service lies: it fails with the lies that the story does not notice as its message.
 * Options are those of `mutate`; `timeout` as of `exploreTest`. The budget is a minute by default.
 */
export function mutateTest(name: string, story: Story, options: OfTest<MutateFunctionOptions> = {}): void {
  searchTest(name, options, () => mutate(story, { budget: USUAL_MS, ...options }));
}

/**
 * A test that checks a story: it fails with the broken statements as its message. Options are those of `check`; `timeout`
 * as of `exploreTest`. The budget is a minute by default.
 */
export function checkTest(name: string, story: Story, options: OfTest<CheckFunctionOptions> = {}): void {
  searchTest(name, options, () => check(story, { budget: USUAL_MS, ...options }));
}

/** Inside a search it is skipped. */
function searchTest(name: string, options: OfTest<RunOptions>, search: () => Promise<unknown>): void {
  const { budget, timeout = (typeof budget === 'number' && budget > 0 ? budget : USUAL_MS) * 2 + BEYOND_MS } = options;
  test.skipIf(searchAround() !== undefined)(name, { timeout }, async () => {
    await search();
  });
}
