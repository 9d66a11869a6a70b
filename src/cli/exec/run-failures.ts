import path from 'node:path';
import { withoutThrownMark } from '../../client/runners/error-origin.ts';
import { findFailedTests } from '../../client/runners/junit.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import { maskedText } from '../../control/mask/mask.ts';
import type { FailureSummary } from './run-tally.ts';

export interface FailedTest {
  name: string;
  /** The test file, with `/`; relative to the folder of the run if it is inside. */
  file: string | null;
  line: number | null;
  error: string | null;
}

/** Why a command failed, the most likely causes first. */
export interface RunFailures {
  tests: FailedTest[];
  /** Rejected requests, failed jobs and failed deliveries. */
  others: string[];
  /** Failures that fault rules and directives caused. */
  asked: string[];
  /** The number of other failures that were left out. */
  left: number;
}

export const NO_FAILURES: RunFailures = { tests: [], others: [], asked: [], left: 0 };

const MAX_TESTS = 10;
const MAX_LINES = 18;
const MAX_LINE = 300;

export async function collectFailures(
  control: ControlConnection,
  printed: readonly string[],
  trouble: FailureSummary,
): Promise<RunFailures> {
  const failed = await failedTests(control, printed);
  const tests = failed.slice(0, MAX_TESTS);
  const { lines: others, asked, left } = trouble.summary(MAX_LINES - tests.length);
  return { tests, others, asked, left: left + failed.length - tests.length };
}

/** The failed tests that the fixtures reported, or else those that the output names. */
async function failedTests(control: ControlConnection, printed: readonly string[]): Promise<FailedTest[]> {
  const { data: tests } = await control.call('listTests');
  const failed = tests.reverse().filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) {
    return findFailedTests(printed).map(({ name, file = null, line = null }) => ({
      name,
      file,
      line,
      error: null,
    }));
  }
  return failed.map(({ name, file, line, error }) => ({
    name: maskedText(name),
    file: file === null ? null : shortened(file),
    line,
    error: error === null ? null : inOneLine(maskedText(error)),
  }));
}

/** The first line of an error. If it ends with a colon, the lines after it too, such as the values that differ. */
function inOneLine(error: string): string | null {
  const [first, ...rest] = withoutThrownMark(error)
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const announced = first?.endsWith(':') && rest.length > 0 ? `${first} ${rest.join('; ')}` : first;
  return announced?.slice(0, MAX_LINE) ?? null;
}

function shortened(file: string): string {
  const below = path.relative(process.cwd(), file);
  return below.startsWith('..') || path.isAbsolute(below) ? file : below.split(path.sep).join('/');
}
