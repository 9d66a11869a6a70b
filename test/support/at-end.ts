import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** Does what is left to do once the test is over; outside of a test, once the last one of the file is. */
export function atEnd(work: () => Promise<void> | void): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(work);
  else onTestFinished(work);
}
