import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** Runs `work` after the current test or, outside a test, after the last test of the file. */
export function atEnd(work: () => Promise<void> | void): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(work);
  else onTestFinished(work);
}
