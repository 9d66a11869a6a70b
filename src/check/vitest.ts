import { test } from 'vitest';
import { searchAround } from '../base/config/config.ts';
import type { ExploreFunctionOptions } from './app/explore-function.ts';
import type { CheckFunctionOptions, MutateFunctionOptions } from './check-function.ts';
import { check, explore, mutate } from './check-functions.ts';
import type { Story } from './runner/function-runner.ts';

export * from '../client/runners/vitest.ts';

/** What a test has beyond the time that its search may take, in milliseconds. */
const BEYOND_MS = 60_000;
const USUAL_MS = 60_000;

/**
 * A test that explores a story: it fails with the findings as its message. Options are those of `explore`; `timeout` is
 * the test's own, in milliseconds, by default twice its budget and a minute. In a run of `svc-emulator explore` or
 * `mutate` it is skipped: it would search anew in each of them.
 */
export function exploreTest(
  name: string,
  story: Story,
  { timeout, ...options }: ExploreFunctionOptions & { timeout?: number } = {},
): void {
  searchTest(name, timeout ?? timeFor(options), () => explore(story, options));
}

/**
 * A test that runs a story while the service lies: it fails with the lies that the story does not notice as its message.
 * Options are those of `mutate`; `timeout` as of `exploreTest`. The budget is a minute by default.
 */
export function mutateTest(
  name: string,
  story: Story,
  { timeout, ...options }: MutateFunctionOptions & { timeout?: number } = {},
): void {
  searchTest(name, timeout ?? timeFor(options), () => mutate(story, { budget: USUAL_MS, ...options }));
}

/**
 * A test that checks a story: it fails with the broken statements as its message. Options are those of `check`; `timeout`
 * as of `exploreTest`. The budget is a minute by default.
 */
export function checkTest(
  name: string,
  story: Story,
  { timeout, ...options }: CheckFunctionOptions & { timeout?: number } = {},
): void {
  searchTest(name, timeout ?? timeFor(options), () => check(story, { budget: USUAL_MS, ...options }));
}

/** Inside a search it is skipped. */
function searchTest(name: string, timeout: number, search: () => Promise<unknown>): void {
  test.skipIf(searchAround() !== undefined)(name, { timeout }, async () => {
    await search();
  });
}

function timeFor({ budget }: { budget?: string | number }): number {
  return (typeof budget === 'number' && budget > 0 ? budget : USUAL_MS) * 2 + BEYOND_MS;
}
