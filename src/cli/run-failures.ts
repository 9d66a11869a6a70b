import path from 'node:path';
import type { RunTrouble } from '../check/spend/run-trouble.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { failedTestsIn } from '../control/trace/trace-marks.ts';

/** A test of the command that failed, with what is known of it. */
export interface FailedTest {
  name: string;
  /** Below the folder of the run where it is there, with `/`. */
  file: string | undefined;
  line: number | undefined;
  /** The first line of its error. */
  error: string | undefined;
}

/** So many tests are named, and so many lines are printed in all beside their heading and the one that says where the rest is. */
const MOST_TESTS = 10;
const MOST_LINES = 18;
const LONGEST = 300;

/** The tests that failed: those that the fixtures have reported, else those that the command's output names. */
export async function failedTests(control: ControlConnection, printed: readonly string[]): Promise<FailedTest[]> {
  const { data: units } = await control.call('listUnits');
  const failed = units.reverse().filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return failedTestsIn(printed).map((name) => ({ ...UNKNOWN, name }));
  return failed.map(({ name, file, line, error }) => ({
    name,
    file: file === null ? undefined : shortened(file),
    line: line ?? undefined,
    error: error === null ? undefined : inOneLine(error),
  }));
}

/** The first line of an error, with those that it announces by a colon: the rows of the ledger, or the values that differ. */
function inOneLine(error: string): string | undefined {
  const [first, ...rest] = error
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const announced = first?.endsWith(':') && rest.length > 0 ? `${first} ${rest.join('; ')}` : first;
  return announced?.slice(0, LONGEST);
}

const UNKNOWN = { file: undefined, line: undefined, error: undefined };

/** What went wrong in a run. */
export interface Failures {
  /** Failed tests first, then what nobody asked for. */
  lines: string[];
  /** What a fault rule, a directive or a lie of the tests brought about. */
  asked: string[];
  /** So many more things are in neither. */
  left: number;
}

export function failuresOf(tests: readonly FailedTest[], trouble: RunTrouble): Failures {
  const named = tests.slice(0, MOST_TESTS).map(lineOf);
  const { lines, asked, left } = trouble.summary(MOST_LINES - named.length);
  return { lines: [...named, ...lines], asked, left: left + tests.length - named.length };
}

/** Failed tests as annotations of a GitHub job, which shows them beside their lines. */
export function testAnnotations(tests: readonly FailedTest[]): string[] {
  return tests.slice(0, MOST_TESTS).map(({ name, file, line, error = 'The test failed.' }) => {
    const place = file === undefined ? [] : [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`])];
    return `::error ${[...place, `title=${property(name)}`].join(',')}::${annotationText(error)}`;
  });
}

/** Without what would end an annotation, or begin another one. */
export function annotationText(line: string): string {
  return line.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(value: string): string {
  return annotationText(value).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

function lineOf({ name, file, line, error }: FailedTest): string {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  return `FAILED ${name}${place}${error === undefined ? '' : `: ${error}`}`;
}

function shortened(file: string): string {
  const below = path.relative(process.cwd(), file);
  return below.startsWith('..') || path.isAbsolute(below) ? file : below.split(path.sep).join('/');
}
