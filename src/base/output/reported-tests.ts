import { plainLine } from './output-line.ts';

/** How runners report a test in a line: a sign before it or a word behind it, and Vitest, Playwright and pytest once more at the end. */
const REPORTED: readonly [failed: boolean, line: RegExp][] = [
  [false, /^(?:✓|✔|√|ok \d{1,6} -) {1,8}(\S.*)$/],
  [true, /^(?:✕|✖|×|✗|✘|●|not ok \d{1,6} -) {1,8}(\S.*)$/],
  [true, /^FAIL +(\S.* > .+)$/],
  [true, /^\d{1,4}\) ([^─]+ › [^─]+)─*$/],
  [true, /^(?:FAILED|ERROR) ([^\s:]+::\S+)/],
  [false, /^([^\s:]+::\S+) PASSED\b/],
  [true, /^([^\s:]+::\S+) (?:FAILED|ERROR)\b/],
];
const TOOK = /^\(?(\d{1,9}(?:\.\d{1,9})?)(ms|s)\)?$/;
/** The number that Playwright's list gives a test, and its file and line. */
const PLACE = /^(?:\d{1,6} )?(?:\[[^\]]{1,80}\] › )?\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?(?::\d{1,6}){0,2} [›>] /;
/** Files, summaries and headings are no tests. */
const NO_TEST =
  /\.(?:test|spec)\.[cm]?[jt]sx?(?: \(\d{1,9} tests?| *$)|^\d{1,9} tests?\b|^failing tests:|^Console$|^Test suite failed/;

/** A test as a line of output reports it; `took` in milliseconds, where the line has it. */
interface TestInLine {
  name: string;
  took: number | undefined;
  failed: boolean;
}

/** The failed tests that lines of output name, each once. */
export function failedTestsIn(lines: readonly string[]): string[] {
  const failed: string[] = [];
  for (const line of lines) {
    const test = testIn(plainLine(line).trim());
    if (test?.failed && !failed.some((name) => test.name.endsWith(name))) failed.push(test.name);
  }
  return failed;
}

/** How runners begin the assertion that failed. */
const ASSERTION = /^(?:E +)?(?:\w*Error\b.*: .+|assert .+|expect\(.+)$/;
const MOST_LINES = 8;

/** The first assertion that failed in lines of output, with what was expected and received. */
export function failedAssertionIn(lines: readonly string[]): string | undefined {
  const plain = lines.map((line) => plainLine(line).trimEnd());
  const first = plain.findIndex((line) => ASSERTION.test(line.trim()));
  if (first === -1) return undefined;
  const told = plain.slice(first, first + MOST_LINES);
  const last = told.findLastIndex((line) => /^\s*(?:[-+] ?)?(?:Expected|Received|at |❯)/.test(line));
  return told
    .slice(0, Math.max(last, 0) + 1)
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** The test that a line of output reports. */
function testIn(text: string): TestInLine | undefined {
  for (const [failed, pattern] of REPORTED) {
    const [, said] = pattern.exec(text) ?? [];
    if (said !== undefined) return named(said, failed);
  }
  return undefined;
}

function named(said: string, failed: boolean): TestInLine | undefined {
  const words = said.split(' ').filter(Boolean);
  // `12ms`, `(12 ms)`
  const joined = /^(?:ms|s)\)?$/.test(words.at(-1) ?? '') ? words.splice(-2).join('') : words.at(-1);
  const [length, number, unit] = TOOK.exec(joined ?? '') ?? [];
  if (length !== undefined && words.at(-1) === joined) words.pop();
  const name = words.join(' ').replace(PLACE, '').slice(0, 200);
  if (name === '' || NO_TEST.test(name)) return undefined;
  const took = number === undefined ? undefined : Number(number) * (unit === 's' ? 1000 : 1);
  return { name, took, failed };
}
