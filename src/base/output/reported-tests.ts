import { plainLine } from './output-line.ts';

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
const PLACE = /^(?:\d{1,6} )?(?:\[[^\]]{1,80}\] › )?\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?(?::\d{1,6}){0,2} [›>] /;
const NO_TEST =
  /\.(?:test|spec)\.[cm]?[jt]sx?(?: \(\d{1,9} tests?| *$)|^\d{1,9} tests?\b|^failing tests:|^Console$|^Test suite failed/;

interface TestInLine {
  name: string;
  took: number | undefined;
  failed: boolean;
}

export function failedTestsIn(lines: readonly string[]): string[] {
  const failed: string[] = [];
  for (const line of lines) {
    const test = testIn(plainLine(line).trim());
    if (test?.failed && !failed.some((name) => test.name.endsWith(name))) failed.push(test.name);
  }
  return failed;
}

const ASSERTION = /^(?:E +)?(?:\w*Error\b.*: .+|assert .+|expect\(.+)$/;
const MOST_LINES = 8;

export function failedAssertionIn(lines: readonly string[]): string | undefined {
  const plain = lines.map((line) => plainLine(line).trimEnd());
  const first = plain.findIndex((line) => ASSERTION.test(line.trim()));
  if (first === -1) return undefined;
  const context = plain.slice(first, first + MOST_LINES);
  const last = context.findLastIndex((line) => /^\s*(?:[-+] ?)?(?:Expected|Received|at |❯)/.test(line));
  return context
    .slice(0, Math.max(last, 0) + 1)
    .filter((line) => line.trim() !== '')
    .join('\n');
}

function testIn(text: string): TestInLine | undefined {
  for (const [failed, pattern] of REPORTED) {
    const [, label] = pattern.exec(text) ?? [];
    if (label !== undefined) return named(label, failed);
  }
  return undefined;
}

function named(label: string, failed: boolean): TestInLine | undefined {
  const words = label.split(' ').filter(Boolean);
  const joined = /^(?:ms|s)\)?$/.test(words.at(-1) ?? '') ? words.splice(-2).join('') : words.at(-1);
  const [length, number, unit] = TOOK.exec(joined ?? '') ?? [];
  if (length !== undefined && words.at(-1) === joined) words.pop();
  const name = words.join(' ').replace(PLACE, '').slice(0, 200);
  if (name === '' || NO_TEST.test(name)) return undefined;
  const took = number === undefined ? undefined : Number(number) * (unit === 's' ? 1000 : 1);
  return { name, took, failed };
}
