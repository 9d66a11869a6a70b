import { withoutColors } from '../../base/output/output-line.ts';

export interface JunitCase {
  classname: string;
  name: string;
  seconds?: string;
  failure?: { message: string; type?: string; body: readonly string[] };
  skipped?: string;
  error?: { exit_code: number; message: string } | undefined;
  properties?: Properties | undefined;
}

type Properties = Readonly<Record<string, number>>;

interface JunitSuite {
  name: string;
  cases: readonly JunitCase[];
  properties?: Properties | undefined;
}

interface JunitReport {
  of: string;
  seconds?: number | string | undefined;
  suites: readonly JunitSuite[];
}

interface OneSuite extends Omit<JunitReport, 'suites'> {
  suite: string;
  cases: readonly JunitCase[];
  error?: JunitCase['error'] | undefined;
}

export function printJunitXml({ of, seconds, suite: name, cases, error }: OneSuite): string {
  const end = error ? [{ classname: of, name: 'ends well', error }] : [];
  return printJunitSuites({ of, seconds, suites: [{ name, cases: [...cases, ...end] }] });
}

export function printJunitSuites({ of, seconds, suites }: JunitReport): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator ${of}" ${counts(all, seconds)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${xmlText(suite.name)}" ${counts(suite.cases, seconds)}>`,
      ...propertyLines(suite.properties, '    '),
      ...suite.cases.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function counts(cases: readonly JunitCase[], seconds: JunitReport['seconds']): string {
  const [failures, skipped, errors] = (['failure', 'skipped', 'error'] as const).map(
    (end) => cases.filter((each) => each[end] !== undefined).length,
  );
  const time = seconds === undefined ? '' : ` time="${seconds}"`;
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="${errors}"${time}`;
}

function caseLines(each: JunitCase): string[] {
  const { classname, name, seconds } = each;
  const time = seconds === undefined ? '' : ` time="${seconds}"`;
  const head = `    <testcase classname="${xmlText(classname)}" name="${xmlText(name)}"${time}`;
  const lines = [...propertyLines(each.properties, '      '), ...endLines(each)];
  return lines.length === 0 ? [`${head}/>`] : [`${head}>`, ...lines, '    </testcase>'];
}

function endLines({ failure, skipped, error }: JunitCase): string[] {
  if (error) return [`      <error type="exit ${error.exit_code}" message="${xmlText(error.message)}"/>`];
  if (skipped !== undefined) return [`      <skipped message="${xmlText(skipped)}"/>`];
  if (!failure) return [];
  const type = failure.type === undefined ? '' : `type="${xmlText(failure.type)}" `;
  const body = failure.body.map(xmlText).join('\n');
  return [`      <failure ${type}message="${xmlText(failure.message)}">${body}</failure>`];
}

function propertyLines(properties: Properties | undefined, indent: string): string[] {
  if (!properties) return [];
  const lines = Object.entries(properties).map(
    ([name, value]) => `${indent}  <property name="${xmlText(name)}" value="${value}"/>`,
  );
  return [`${indent}<properties>`, ...lines, `${indent}</properties>`];
}

const ENTITY: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML forbids, and line ends and tabs, which an attribute does not preserve. */
const NOT_HELD = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

export function xmlText(text: string): string {
  return Array.from(text, (sign) => (NOT_HELD.test(sign) ? ' ' : (ENTITY[sign] ?? sign))).join('');
}

const FAILED: readonly RegExp[] = [
  /^(?:✕|✖|×|✗|✘|●|not ok \d{1,6} -) {1,8}(\S.*)$/,
  /^FAIL +(\S.* > .+)$/,
  /^\d{1,4}\) ([^─]+ › [^─]+)─*$/,
  /^(?:FAILED|ERROR) ([^\s:]+::\S+)/,
  /^([^\s:]+::\S+) (?:FAILED|ERROR)\b/,
];
const TOOK = /^\(?\d{1,9}(?:\.\d{1,9})?(?:ms|s)\)?$/;
const PLACE =
  /^(?:\d{1,6} )?(?:\[[^\]]{1,80}\] › )?(\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?)(?::(\d{1,6}))?(?::\d{1,6})? [›>] /;
/** How pytest names a test, and a line of a stack. */
const PYTEST = /^([^\s:]{1,300}\.py)::/;
const STACK = /^❯ (\S{1,300}?):(\d{1,6}):\d{1,6}$/;
const NO_TEST =
  /\.(?:test|spec)\.[cm]?[jt]sx?(?: \(\d{1,9} tests?| *$)|^\d{1,9} tests?\b|^failing tests:|^Console$|^Test suite failed/;

interface FailedTest {
  name: string;
  file?: string | undefined;
  line?: number | undefined;
}

export function failedTestNamesIn(lines: readonly string[]): string[] {
  return findFailedTests(lines).map(({ name }) => name);
}

/** The failed tests, with the file and line that the output names. */
export function findFailedTests(lines: readonly string[]): FailedTest[] {
  const failed: FailedTest[] = [];
  let latest: FailedTest | undefined;
  for (const line of lines.map((each) => withoutColors(each).trim())) {
    const [, file, number] = STACK.exec(line) ?? [];
    if (latest && file !== undefined && latest.file === file) latest.line ??= Number(number);
    const test = failedTestIn(line);
    if (test === undefined) continue;
    const known = failed.find(({ name }) => test.name.endsWith(name));
    latest = known ? Object.assign(known, { ...test, ...known }) : test;
    if (!known) failed.push(test);
  }
  return failed;
}

const ASSERTION = /^(?:E +)?(?:\w*Error\b.*: .+|assert .+|expect\(.+)$/;
const MAX_LINES = 8;

export function failedAssertionIn(lines: readonly string[]): string | undefined {
  const plain = lines.map((line) => withoutColors(line).trimEnd());
  const first = plain.findIndex((line) => ASSERTION.test(line.trim()));
  if (first === -1) return undefined;
  const context = plain.slice(first, first + MAX_LINES);
  const last = context.findLastIndex((line) => /^\s*(?:[-+] ?)?(?:Expected|Received|at |❯)/.test(line));
  return context
    .slice(0, Math.max(last, 0) + 1)
    .filter((line) => line.trim() !== '')
    .join('\n');
}

function failedTestIn(text: string): FailedTest | undefined {
  for (const pattern of FAILED) {
    const [, label] = pattern.exec(text) ?? [];
    if (label === undefined) continue;
    const name = nameIn(label);
    return name === undefined ? undefined : { name, ...placeIn(label) };
  }
  return undefined;
}

function placeIn(label: string): Pick<FailedTest, 'file' | 'line'> {
  const [, file, line] = PLACE.exec(label.trim()) ?? PYTEST.exec(label) ?? [];
  return { ...(file !== undefined && { file }), ...(line !== undefined && { line: Number(line) }) };
}

/** The name of a test in a line of output, without the duration and the file. */
function nameIn(label: string): string | undefined {
  const words = label.split(' ').filter(Boolean);
  const joined = /^(?:ms|s)\)?$/.test(words.at(-1) ?? '') ? words.splice(-2).join('') : words.at(-1);
  if (TOOK.test(joined ?? '') && words.at(-1) === joined) words.pop();
  const name = words.join(' ').replace(PLACE, '').slice(0, 200);
  return name === '' || NO_TEST.test(name) ? undefined : name;
}
