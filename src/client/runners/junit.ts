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

export function formatJunitXml({ of, seconds, suite: name, cases, error }: OneSuite): string {
  const end = error ? [{ classname: of, name: 'ends well', error }] : [];
  return formatJunitSuites({ of, seconds, suites: [{ name, cases: [...cases, ...end] }] });
}

export function formatJunitSuites({ of, seconds, suites }: JunitReport): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator ${of}" ${counts(all, seconds)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${escapeXml(suite.name)}" ${counts(suite.cases, seconds)}>`,
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
  const head = `    <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}"${time}`;
  const lines = [...propertyLines(each.properties, '      '), ...endLines(each)];
  return lines.length === 0 ? [`${head}/>`] : [`${head}>`, ...lines, '    </testcase>'];
}

function endLines({ failure, skipped, error }: JunitCase): string[] {
  if (error) return [`      <error type="exit ${error.exit_code}" message="${escapeXml(error.message)}"/>`];
  if (skipped !== undefined) return [`      <skipped message="${escapeXml(skipped)}"/>`];
  if (!failure) return [];
  const type = failure.type === undefined ? '' : `type="${escapeXml(failure.type)}" `;
  const body = failure.body.map(escapeXml).join('\n');
  return [`      <failure ${type}message="${escapeXml(failure.message)}">${body}</failure>`];
}

function propertyLines(properties: Properties | undefined, indent: string): string[] {
  if (!properties) return [];
  const lines = Object.entries(properties).map(
    ([name, value]) => `${indent}  <property name="${escapeXml(name)}" value="${value}"/>`,
  );
  return [`${indent}<properties>`, ...lines, `${indent}</properties>`];
}

const ENTITY: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML forbids or discourages, and line ends and tabs, which an attribute does not preserve. */
const NOT_HELD = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

export function escapeXml(text: string): string {
  return Array.from(text, (sign) => (NOT_HELD.test(sign) ? ' ' : (ENTITY[sign] ?? sign))).join('');
}
