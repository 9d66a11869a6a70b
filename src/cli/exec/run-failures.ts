import path from 'node:path';
import { withoutThrownMark } from '../../client/runners/error-origin.ts';
import {
  endsWithName,
  type FailedTestInOutput,
  MAX_TEST_NAME_LENGTH,
  mayBeSameFile,
  parseFailedTests,
} from '../../client/runners/parse-failed-tests.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import { maskText } from '../../control/mask/mask.ts';
import type { FailureCollector } from './run-counter.ts';

export interface ReportedFailedTest {
  name: string;
  /** The path relative to the folder of the run, with `/`, if the file is inside that folder. */
  file: string | null;
  /** The line of the failure if the output of the command names it, otherwise that of the test. */
  line: number | null;
  error: string | null;
}

export interface RunFailures {
  tests: ReportedFailedTest[];
  others: string[];
  /** Failures that fault rules and directives caused. */
  asked: string[];
  /** The number of failures that `others` and `asked` leave out. */
  left: number;
}

export const NO_FAILURES: RunFailures = { tests: [], others: [], asked: [], left: 0 };

export const MAX_SHOWN_TESTS = 10;
const MAX_LINES = 18;
const MAX_LINE = 300;

export async function collectFailures(
  control: ControlConnection,
  printed: readonly string[],
  trouble: FailureCollector,
): Promise<RunFailures> {
  const tests = await failedTests(control, printed);
  const room = MAX_LINES - Math.min(tests.length, MAX_SHOWN_TESTS);
  const { lines: others, asked, left } = trouble.summary(room);
  return { tests, others, asked, left };
}

async function failedTests(control: ControlConnection, printed: readonly string[]): Promise<ReportedFailedTest[]> {
  const { data: tests } = await control.call('listTests');
  const unreported = parseFailedTests(printed);
  const reported = tests.reverse().filter(({ outcome }) => outcome === 'failed');
  const known = reported.map(({ name, file, line, error }) => {
    const shown = takeShown(unreported, { name: maskText(name), file: file ?? undefined, error: error ?? undefined });
    return failedTest({ name, file, line: shown?.line ?? line, error: error ?? shown?.error });
  });
  return [...known, ...unreported.map(failedTest)];
}

/**
 * Removes and returns the test in `tests` that fits best. The name in the output may lack its suites, so the error is
 * compared too.
 */
function takeShown(
  tests: FailedTestInOutput[],
  { name, file, error }: FailedTestInOutput,
): FailedTestInOutput | undefined {
  const [said = ''] = withoutThrownMark(error ?? '').split('\n');
  const alike = tests.filter(
    (each) => mayBeSameFile(each.file, file) && (endsWithName(name, each.name) || endsWithName(each.name, name)),
  );
  const isNamed = (each: FailedTestInOutput) => endsWithName(name, each.name) && endsWithName(each.name, name);
  const sameError = alike.filter((each) => said !== '' && each.error?.includes(said));
  const [test] = [...sameError.filter(isNamed), ...sameError, ...alike.filter(isNamed), ...alike];
  return test && tests.splice(tests.indexOf(test), 1)[0];
}

function failedTest({
  name,
  file,
  line,
  error,
}: { [Key in keyof FailedTestInOutput]: FailedTestInOutput[Key] | null }): ReportedFailedTest {
  return {
    name: maskText(name ?? '').slice(0, MAX_TEST_NAME_LENGTH),
    file: file ? shortened(file) : null,
    line: line ?? null,
    error: error ? inOneLine(maskText(error)) : null,
  };
}

function inOneLine(error: string): string | null {
  const [first, ...rest] = withoutThrownMark(error)
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const announced = first?.endsWith(':') && rest.length > 0 ? `${first} ${rest.join('; ')}` : first;
  return announced?.slice(0, MAX_LINE) ?? null;
}

function shortened(file: string): string {
  return relativePathWithin(process.cwd(), file) ?? file;
}

/** The path from `folder`, with `/`. Undefined if the file is outside. */
export function relativePathWithin(folder: string, file: string): string | undefined {
  const below = path.relative(folder, file);
  return below.startsWith('..') || path.isAbsolute(below) ? undefined : below.split(path.sep).join('/');
}
