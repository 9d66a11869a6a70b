import path from 'node:path';
import { changedLines, isShortenedError, toPlainLine } from '../../base/output/output-line.ts';

export interface FailedTestInOutput {
  name: string;
  file?: string | undefined;
  /** The line of the failure if the output names it, otherwise that of the test. */
  line?: number | undefined;
  error?: string | undefined;
}

export const MAX_TEST_NAME_LENGTH = 200;

interface Mention extends FailedTestInOutput {
  isFull: boolean;
  testLine?: number | undefined;
  body: string[];
}

const FULL_NAME: readonly RegExp[] = [
  /^● {1,8}(\S.*)$/,
  /^FAIL +(\S.* > .+)$/,
  /^\d{1,4}\) ([^─]+ › [^─]+)─*$/,
  /^(?:FAILED|ERROR) ([^\s:]+::\S+)(?: - .+)?/,
  /^([^\s:]+::\S+) (?:FAILED|ERROR)\b/,
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))$/,
];
const SHORT_NAME: readonly RegExp[] = [
  /^(?:✕|✖|×|✗|✘|not ok \d{1,6} -) {1,8}(\S.*)$/,
  /^_{3,} (?:ERROR at (?:setup|teardown) of )?([\w.[\]-]+) _{3,}$/,
];
const ANNOTATION = /^::error (\S.{0,2000}?)::(.*)$/;

const TOOK = /^\(?\d{1,9}(?:\.\d{1,9})?(?:ms|s)\)?$/;
const PLACE =
  /^(?:\d{1,6} )?(?:\[[^\]]{1,80}\] › |\|[^|]{1,80}\| )?(\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?)(?::(\d{1,6}))?(?::\d{1,6})? [›>] /;
const RETRY = / \(retry #\d{1,4}\)$/;
const PYTEST = /^([^\s:]{1,300}\.py)::/;
const NO_TEST =
  /\.(?:test|spec)\.[cm]?[jt]sx?(?: \(\d{1,9} tests?| *$)|^\d{1,9} tests?\b|^failing tests:|^Console$|^Test suite failed/;

const TEST_PLACE = /^(?:test at |location: ')(\S.{0,300}?):(\d{1,6}):\d{1,6}'?$/;
const CODE = /(?:^|[\s(])(?:file:\/\/)?((?:[A-Za-z]:)?[^\s():]{1,300}\.(?:[cm]?[jt]sx?|py)):(\d{1,6})\b/;
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test_[^/]+\.py$|_test\.py$/;
const SUITE_OF_FAILED = /^(?:failureType: 'subtestsFailed'|'?\d{1,6} subtests? failed'?)$/;
const ERROR = /^(?:\w*(?:Error|Exception)\b|→ |E {2,}|error: )/;
const AFTER_ERROR =
  /^(?:at |❯ |code: '|[-+] (?:Expected|Received)|\d{1,6} ?\||[>^] |\||={3,} )|\(file:|^\S+:\d{1,6}: \w+$/;
const MAX_BODY = 80;
const MAX_ERROR_LINES = 12;

export function parseFailedTests(lines: readonly string[]): FailedTestInOutput[] {
  const plain = lines.map((line) => toPlainLine(line).trim());
  const tests: Mention[] = [];
  for (const mention of [...mentionsIn(plain), ...mochaFailuresIn(plain)]) {
    const known = tests.find((each) => isSame(each, mention));
    if (known) join(known, mention);
    else tests.push(mention);
  }
  const flaky = flakyTestsIn(plain);
  return tests
    .filter((test) => !flaky.some((each) => isSame(each, test)))
    .map(({ name, file, line, testLine, error }) => ({ name, file, line: line ?? testLine, error }));
}

function flakyTestsIn(plain: readonly string[]): Mention[] {
  const first = plain.findIndex((text) => /^\d{1,6} flaky$/.test(text)) + 1;
  if (first === 0) return [];
  const after = plain.slice(first).findIndex((text) => !PLACE.test(text));
  return plain.slice(first, after === -1 ? undefined : first + after).flatMap((text) => mentionIn(`1) ${text}`) ?? []);
}

const ASSERTION = /^(?:E +)?(?:\w*Error\b.*: .+|assert .+|expect\(.+)$/;
const MAX_ASSERTION_LINES = 8;

export function failedAssertionIn(lines: readonly string[]): string | undefined {
  const plain = lines.map((line) => toPlainLine(line).trimEnd());
  const first = plain.findIndex((line) => ASSERTION.test(line.trim()));
  if (first === -1) return undefined;
  const context = plain.slice(first, first + MAX_ASSERTION_LINES);
  const last = context.findLastIndex((line) => /^\s*(?:[-+] ?)?(?:Expected|Received|at |❯)/.test(line));
  return context
    .slice(0, Math.max(last, 0) + 1)
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** Whether `end` is the whole name of a test, or the name without some or all of its suites. */
export function endsWithName(name: string, end: string): boolean {
  const [whole, last] = [name, end].map((each) => each.replaceAll(' › ', ' > ')) as [string, string];
  return whole === last || whole.endsWith(` > ${last}`) || whole.endsWith(`::${last}`);
}

export function mayBeSameFile(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  const [a, b] = [one, other].map((each) => `/${each.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')}`);
  return a?.endsWith(b ?? '') || b?.endsWith(a ?? '') || false;
}

function mentionsIn(plain: readonly string[]): Mention[] {
  const mentions: Mention[] = [];
  let place: Pick<Mention, 'file' | 'testLine'> | undefined;
  for (const text of plain) {
    const mention = mentionIn(text);
    if (mention) {
      mentions.push({ ...mention, ...place });
      place = undefined;
      continue;
    }
    const [, file, number] = TEST_PLACE.exec(text) ?? [];
    if (text.startsWith('test at ') && file !== undefined) place = { file, testLine: Number(number) };
    const latest = mentions.at(-1);
    if (latest && latest.body.length < MAX_BODY) latest.body.push(text);
  }
  // Vitest prints an error that several tests have in common below the last one of them.
  for (const [at, each] of mentions.entries()) if (each.isFull && each.body.length === 0) shareBody(mentions, at);
  return withoutProgress(mentions.filter(({ body }) => !body.some((text) => SUITE_OF_FAILED.test(text))).map(inDetail));
}

function mochaFailuresIn(plain: readonly string[]): Mention[] {
  const found: { names: string[]; body: string[] }[] = [];
  const heading = plain.findIndex((text) => /^\d{1,6} failing$/.test(text));
  for (const text of heading === -1 ? [] : plain.slice(heading + 1)) {
    const [, first] = /^\d{1,6}\) (\S.*)$/.exec(text) ?? [];
    const latest = found.at(-1);
    if (first !== undefined) found.push({ names: [first], body: [] });
    else if (latest && !latest.names.at(-1)?.endsWith(':')) latest.names.push(text);
    else latest?.body.push(text);
  }
  return found.map(({ names, body }) => {
    const name = names.join(' > ').replace(/:$/, '');
    return inDetail({ name, isFull: true, body, error: mochaErrorIn(body) });
  });
}

/**
 * Below the message, Mocha prints a diff in which + and - mean the opposite of other runners, and below the stack the
 * causes.
 */
function mochaErrorIn(body: readonly string[]): string | undefined {
  const legend = body.indexOf('+ expected - actual');
  const [message, diff] = legend === -1 ? [body, []] : [body.slice(0, legend), body.slice(legend + 1)];
  const error = errorIn(message, true);
  const values = error?.includes('…') ? diff.filter((text) => /^[-+]/.test(text)) : [];
  const causes = body.filter((text) => text.startsWith('Caused by: '));
  return error && [error, ...values.map(withOtherSign), ...causes].join('\n');
}

function withOtherSign(text: string): string {
  return `${text.startsWith('-') ? '+' : '-'} ${text.slice(1).trim()}`;
}

function shareBody(mentions: readonly Mention[], at: number): void {
  const [mention, owner] = [mentions[at], mentions.slice(at).find(({ body }) => body.length > 0)];
  if (mention && owner?.isFull) mention.body = owner.body;
}

/**
 * Keeps only the mentions with a place if node:test lists its failed tests with places at the end. What it prints before
 * names suites too.
 */
function withoutProgress(mentions: readonly Mention[]): Mention[] {
  const isListed = mentions.some(({ isFull, testLine }) => !isFull && testLine !== undefined);
  return mentions.filter(({ isFull, testLine }) => isFull || !isListed || testLine !== undefined);
}

function mentionIn(text: string): Mention | undefined {
  return announcedIn(text) ?? labelledIn(text, FULL_NAME) ?? labelledIn(text, SHORT_NAME);
}

function labelledIn(text: string, patterns: readonly RegExp[]): Mention | undefined {
  const label = patterns.map((pattern) => pattern.exec(text)?.[1]).find((each) => each !== undefined);
  const name = label && nameIn(text.startsWith('___') ? label.replaceAll('.', '::') : label);
  if (!name) return undefined;
  const [, error] = /^(?:FAILED|ERROR) \S+ - (.+)$/.exec(text) ?? [];
  return { name, ...placeIn(label), error, isFull: patterns === FULL_NAME, body: [] };
}

function announcedIn(text: string): Mention | undefined {
  const [, given, message = ''] = ANNOTATION.exec(text) ?? [];
  const values = new Map(given?.split(',').map((each) => each.split('=', 2) as [string, string]));
  const [title, file, line] = ['title', 'file', 'line'].map((name) => decoded(values.get(name) ?? ''));
  if (!title || !file) return undefined;
  const name = mentionIn(title)?.name ?? title.replace(PLACE, '');
  const body = decoded(message).split('\n');
  return { name, file, line: Number(line) || undefined, error: errorIn(body, true), isFull: true, body: [] };
}

function decoded(text: string): string {
  return text.replace(/%(25|0A|0D|3A|2C)/g, (each) => decodeURIComponent(each));
}

function placeIn(label: string): Pick<Mention, 'file' | 'testLine'> {
  const [, file, line] = PLACE.exec(label.trim()) ?? PYTEST.exec(label) ?? [];
  return { file, testLine: line === undefined ? undefined : Number(line) };
}

function nameIn(label: string): string | undefined {
  const words = label.split(' ').filter(Boolean);
  const joined = /^(?:ms|s)\)?$/.test(words.at(-1) ?? '') ? words.splice(-2).join('') : words.at(-1);
  if (TOOK.test(joined ?? '') && words.at(-1) === joined) words.pop();
  const name = words.join(' ').replace(PLACE, '').replace(RETRY, '');
  return name === '' || NO_TEST.test(name) ? undefined : name;
}

function inDetail(mention: Mention): Mention {
  const { body, isFull } = mention;
  const [, at, number] = body.map((text) => TEST_PLACE.exec(text)).find((found) => found?.[0].startsWith('loc')) ?? [];
  const file = mention.file ?? at;
  const testLine = mention.testLine ?? (at === undefined ? undefined : Number(number));
  const places = body.flatMap((text) => {
    const [, code, line] = text.startsWith('location: ') ? [] : (CODE.exec(text) ?? []);
    return code === undefined ? [] : [{ file: code, line: Number(line) }];
  });
  const place = places.find((each) =>
    file === undefined ? TEST_FILE.test(each.file) : mayBeSameFile(each.file, file),
  );
  const said = mention.error ?? errorIn(body, isFull);
  const error = BUILT_IN.test(said ?? '') ? said + originIn(body, places[0]?.file) : said;
  return { ...mention, file: longer(file, place?.file), line: mention.line ?? place?.line, testLine, error };
}

/** Matches an error that JavaScript or Python itself throws. */
const BUILT_IN = /^(?:Type|Reference|Range|Syntax|Attribute|Index|Key|Name|UnboundLocal)Error\b/;
const RAISED_BY_PYTHON = /^(\S+\.py):\d{1,6}: (?:in )?\S+$/;

/** The file that threw an error, as a line: in Python that of the last frame, otherwise that of the first one. */
function originIn(body: readonly string[], first = ''): string {
  const [, raised] = body.map((text) => RAISED_BY_PYTHON.exec(text)).findLast((match) => match !== null) ?? [];
  const file = path.basename(raised ?? first);
  return file === '' ? '' : `\nat ${file}`;
}

const EXCEPTION = /^(?:\w+\.)*\w*(?:Error|Exception)\b/;

function errorIn(body: readonly string[], isFull: boolean): string | undefined {
  if (body.includes('Traceback (most recent call last):')) return body.findLast((text) => EXCEPTION.test(text));
  const said = body.findIndex((text) => ERROR.test(text));
  const first = said === -1 && isFull ? body.findIndex((text) => text !== '') : said;
  if (first === -1) return undefined;
  const rest = body.slice(first, first + MAX_ERROR_LINES);
  const end = rest.findIndex((text, at) => AFTER_ERROR.test(text) && at > 0);
  const text = rest.slice(0, end === -1 ? undefined : end).join('\n');
  const error = text.replace(/^(?:→ |E {2,}|error: (?:\|-\n)?)/, '').replace(/^(['"])(.*)\1$/, '$2');
  return [error, ...(isShortenedError(error) || WITHOUT_VALUES.test(error) ? differencesBelow(body) : [])].join('\n');
}

/** Matches an error of Jest or Playwright, which does not contain the values. */
const WITHOUT_VALUES = /^(?:Error: )?expect\(/m;
/** Matches a line of pytest, except for the sources of the values. */
const EXPLAINED = /^E +(?! |\+ {2}(?:where|and) )/;
const AFTER_DIFFERENCES = /^(?:❯|at |>? ?\d{1,6} \|)/;

/** The values that differ, which a runner prints below the message. A line with `+` has the actual value. */
function differencesBelow(body: readonly string[]): string[] {
  const explained = body.filter((text) => EXPLAINED.test(text)).map((text) => text.replace(/^E +/, ''));
  if (explained.length > 0) {
    const changed = changedLines(explained);
    return changed.length > 0 ? changed : explained.flatMap(unequalIn);
  }
  const below = body.slice(body.findIndex((text) => /^\+ Received\b/.test(text)) + 1);
  const end = below.findIndex((text) => AFTER_DIFFERENCES.test(text));
  return below.length === body.length ? [] : changedLines(below.slice(0, Math.max(0, end)));
}

const UNEQUAL = [/^At index \d{1,6} diff: (.+) != (.+)$/, /^\{(.+)\} != \{(.+)\}$/];

/** The values in a line of pytest such as `{'a': 'lost'} != {'a': 'done'}` or `At index 0 diff: 'lost' != 'done'`. */
function unequalIn(explained: string): string[] {
  const [, got, wanted] = UNEQUAL.map((form) => form.exec(explained)).find((match) => match !== null) ?? [];
  return got === undefined ? [] : [`- ${wanted}`, `+ ${got}`];
}

function isSame(one: Mention, other: Mention): boolean {
  if (!mayBeSameFile(one.file, other.file)) return false;
  const lines = [one.testLine, other.testLine];
  if (!lines.includes(undefined) && lines[0] !== lines[1]) return false;
  if (one.isFull && other.isFull) return endsWithName(one.name, other.name) && endsWithName(other.name, one.name);
  return endsWithName(one.name, other.name) || endsWithName(other.name, one.name);
}

function join(known: Mention, { name, file, line, testLine, error, isFull }: Mention): void {
  known.name = longer(known.name, name) ?? name;
  known.file = longer(known.file, file);
  known.line ??= line;
  known.testLine ??= testLine;
  known.error ??= error;
  known.isFull ||= isFull;
}

function longer(one: string | undefined, other: string | undefined): string | undefined {
  return (one?.length ?? 0) >= (other?.length ?? 0) ? one : other;
}
