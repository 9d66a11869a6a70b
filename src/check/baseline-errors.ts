import { availableParallelism, loadavg } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { extractErrorText, keepLastLines } from '../base/output/output-line.ts';
import { asOneLine, countWithNoun, formatFileAndLine } from '../base/text.ts';
import { maskText } from '../control/mask/mask.ts';
import type { Failure } from './faults/failed-check.ts';
import type { Site } from './faults/site.ts';
import type { FailedTest, RequestRow, RunRecord } from './runner/run-record.ts';
import { CannotRunError, COMMAND_NOT_FOUND_EXIT_CODE, type Run } from './runner/runner.ts';

const [MAX_TESTS, MAX_LINES, MAX_PRINTED, MAX_CHARACTERS] = [5, 12, 20, 4000];

export function unstableBaselineError({ output, record }: Run, [failure]: readonly Failure[]): CannotRunError {
  const plain = stripVTControlCharacters(output);
  const error = extractErrorText(plain, 1).trim();
  const { failedTests: failed = [] } = record;
  const lines = failed.length > 0 ? failedLines(failed) : [`  FAILED: ${error || failure?.message}`];
  const printed = plain.trim() === '' ? [] : ['It printed:', keepLastLines(plain, MAX_PRINTED)];
  const what = 'The baseline runs differ: with nothing changed, one passed and one failed.';
  const remedy = `${loadText()}Run it again on an idle machine, or with --jobs 1.`;
  return new CannotRunError([what, ...lines, remedy, ...printed].join('\n'));
}

/** If the command itself passed, the message says what else failed, such as a delivery that got no response. */
export function failedCommandError(run: Run, failures: readonly Failure[]): CannotRunError {
  const { output, record, failure, check } = run;
  const all = [output, check].filter(Boolean).join('\n');
  const printed = maskText(stripVTControlCharacters(all)).trimEnd().slice(-MAX_CHARACTERS);
  const said = printed.trim() === '' ? [failure?.message ?? '', 'It printed nothing.'] : ['It printed:', printed];
  const what = failure
    ? ['The command fails by itself: fix that first.']
    : ['The command passes, but something else fails without faults: fix that first.', ...messagesOf(failures)];
  const lines = [...what, ...failedLines(record.failedTests ?? []), ...said];
  return new CannotRunError(
    lines.join('\n'),
    failure?.exitCode === COMMAND_NOT_FOUND_EXIT_CODE ? COMMAND_NOT_FOUND_EXIT_CODE : 2,
  );
}

function messagesOf(failures: readonly Failure[]): string[] {
  return failures.slice(0, MAX_TESTS).map(({ message }) => `  FAILED ${asOneLine(maskText(message))}`);
}

function failedLines(tests: readonly FailedTest[]): string[] {
  return tests.slice(0, MAX_TESTS).flatMap(({ name, file, line, error }) => {
    const lines = (error ?? '').trim().split('\n').slice(0, MAX_LINES);
    return [
      `  FAILED ${asOneLine(`${name}${formatFileAndLine({ file, line })}`)}`,
      ...lines.filter(Boolean).map((each) => `    ${each}`),
    ];
  });
}

function loadText(): string {
  const [load = 0] = loadavg();
  return load === 0
    ? ''
    : `The machine's load was ${load.toFixed(1)} on ${countWithNoun(availableParallelism(), 'core')}. `;
}

export interface RunWithSites {
  run: Run;
  sites: readonly Site[];
}

export type Difference = Pick<Site, 'kind'> & { message: string };

const REMEDY =
  'Remove random values, wait for everything that the tests start, and give parallel runs nothing in common.';
const MAX_SITES = 10;
const MAX_BODY = 160;

export function compareBaselineRuns(first: RunWithSites, second: RunWithSites): Difference | undefined {
  const sides = [
    { which: 'first', record: first.run.record, sites: without(first, second) },
    { which: 'second', record: second.run.record, sites: without(second, first) },
  ];
  const differing = sides.flatMap(({ sites, ...side }) => sites.map((site) => ({ site, ...side })));
  const found = differing.find(({ site }) => site.kind !== 'read') ?? differing[0];
  if (!found) return undefined;
  const { site, which, record } = found;
  const lists = sides.flatMap(({ sites, ...side }) => {
    const lines = sites.slice(0, MAX_SITES).map((each) => siteLine(each, side.record));
    const more = sites.length > MAX_SITES ? [`  and ${sites.length - MAX_SITES} more`] : [];
    return [`Only the ${side.which} baseline run had:`, ...(lines.length === 0 ? ['  nothing'] : lines), ...more];
  });
  const head = `The two baseline runs differ: only the ${which} one had "${site.name}"${ofTest(site, record)}.`;
  return { kind: site.kind, message: [head, ...lists, REMEDY].join('\n') };
}

function without({ sites }: RunWithSites, other: RunWithSites): Site[] {
  const names = new Set(other.sites.map(({ name }) => name));
  return sites.filter(({ name }) => !names.has(name));
}

function siteLine(site: Site, record: RunRecord): string {
  const request = requestOf(site, record);
  const line = `  ${site.name}${ofTest(site, record)}`;
  if (!request) return line;
  const { method, path, request: body, status } = request;
  const said = maskText(body ?? '');
  const sent = said && ` ${said.length > MAX_BODY ? `${said.slice(0, MAX_BODY)}…` : said}`;
  return `${line}: ${method} ${path}${sent}, returned ${status}`;
}

function ofTest(site: Site, record: RunRecord): string {
  const id = requestOf(site, record)?.account_id;
  const account = record.accounts?.find((each) => each.id === id);
  return account ? ` of account "${account.name}"` : '';
}

function requestOf({ ref }: Site, { requests, deliveries }: RunRecord): RequestRow | undefined {
  if (ref === undefined) return undefined;
  const subject = deliveries.find(({ id }) => id === ref)?.subject ?? ref;
  return requests.find(({ id, job_ids: jobs, run_id: run }) => id === ref || jobs.includes(subject) || run === subject);
}
