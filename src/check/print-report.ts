import { grouped } from '../base/grouped.ts';
import { type JunitCase, printJunitXml } from '../base/junit.ts';
import { markdownList, markdownTable, markdownText, printMarkdown } from '../base/markdown.ts';
import {
  codePart,
  listParts,
  type ReportArticle,
  type ReportFile,
  type ReportPart,
  tableParts,
  textPart,
} from '../control/orders/report-file.ts';

/** One thing that was found, as every format shows it. */
export interface Item {
  token: string;
  kind: string;
  /** What was different. */
  title: string;
  /** What it came to, where that says more than the title. */
  heading?: string | undefined;
  /** Behind the title. */
  note?: string | undefined;
  /** What happened, what says most first. */
  happened: readonly string[];
  /** What to change. */
  advice?: string | undefined;
  /** A whole command that shows it again. */
  again?: string | undefined;
  /** The tests that it is about. */
  tests?: readonly { name: string; file?: string | undefined; line?: number | undefined }[];
  /** By which it is the same in the next run, beside its test; its token, where it is left out. */
  fingerprint?: string;
  /** By default it is an error. */
  isWarning?: boolean;
  /** What it is one case of, with what that does to users. */
  rule?: { id: string; text: string; harm?: string | undefined; help?: string | undefined };
  /** What a page shows beside that. */
  badge?: string | undefined;
  marks?: readonly string[];
  details?: ReportArticle['rows'];
}

/** A test of JUnit: it fails by the first of its items. */
export interface Case extends Pick<JunitCase, 'classname' | 'name' | 'seconds' | 'skipped'> {
  items?: readonly Item[];
}

/** A report in the one form that all formats are printed from. */
export interface Printable {
  /** The command that wrote it. */
  of: string;
  version: string;
  command: string;
  exit: number;
  error?: { exit_code: number; message: string } | undefined;
  seconds?: number | string;
  /** What was found, in a few words. */
  title: string;
  /** What was done, in a sentence of numbers. */
  sum: string;
  /** Above what was found; its title, where it is left out. */
  head?: readonly string[];
  sections: readonly { title: string; items: readonly Item[] }[];
  /** Below it, in a terminal alone. */
  appendix?: string;
  /** What else there is to say, a sentence each. */
  notes: readonly string[];
  /** Of the text in a terminal. */
  bounds?: Bounds;
  cases: readonly Case[];
  output?: string;
  /** All that was looked at, above what was found. */
  table?: { title: string; heads: readonly string[]; rows: readonly (readonly string[])[] };
  /** What a page shows at its end, and what beside its contents. */
  parts?: readonly ReportPart[];
  note?: ReportFile['report']['note'];
}

interface Bounds {
  lines?: number;
  /** Of each section. */
  items?: number;
  /** Lines of what happened. */
  happened?: number;
  /** What one change mends is shown with it once, and without the commands. */
  isGrouped?: boolean;
}

const WIDTH = 240;

/** The answer for a reader in a terminal; where it is bounded, each section has a share. */
export function printText({ title, head = [title], sections, appendix, notes, sum, bounds = {} }: Printable): string {
  const most = bounds.lines ?? Number.POSITIVE_INFINITY;
  const shown = sections.filter(({ items }) => items.length > 0);
  const ending = [...(appendix ? [appendix, ''] : []), ...notes.flatMap((note) => note.split('\n')), sum].slice(
    -most / 2,
  );
  const room = most - head.length - ending.length - 2;
  const lines: string[] = [];
  for (const [at, section] of shown.entries()) {
    const share = Math.floor((room - lines.length) / (shown.length - at));
    lines.push(...sectionLines(section, { ...bounds, lines: share }));
  }
  const blocks = [head, lines, ending].filter((block) => block.length > 0);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

/** As many as have room, and at least the first with its command. */
function sectionLines({ title, items }: Printable['sections'][number], bounds: Bounds) {
  const { lines: most = 0, items: mostItems, happened, isGrouped } = bounds;
  const room = most - 1;
  const groups = isGrouped
    ? [...grouped(items, ({ advice = '' }) => advice).values()]
    : items.slice(0, mostItems).map((item) => [item]);
  const lines: string[] = [];
  const said = new Set<string | undefined>();
  let left = items.length;
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const isSaid = said.has(first.advice);
    said.add(first.advice);
    const body = bodyLines({
      ...first,
      ...(isSaid && { advice: undefined }),
      happened: [...new Set(group.flatMap((item) => item.happened.slice(0, happened)))],
      ...(isGrouped && { again: undefined }),
    });
    if (lines.length > 0 && lines.length + group.length + body.length > room) break;
    const titles = group.slice(0, Math.max(1, room - body.length)).map(titleLine);
    lines.push(...shortened([...titles, ...body], room).map(cut));
    left -= titles.length;
  }
  return [`${title}${left > 0 ? ` (${left} more in the report)` : ''}:`, ...lines];
}

/** A command or a line for a test is whole, or of no use. */
function cut(line: string): string {
  const isWhole = line.length <= WIDTH || /^ {4}(?:Again|How to fix it): /.test(line);
  return isWhole ? line : `${line.slice(0, WIDTH - 1)}…`;
}

/** With less of what happened, its last line first, of which the first joins the title; and then without the advice. */
function shortened(block: readonly string[], room: number): string[] {
  const left = [...block];
  while (left.length > Math.max(2, room)) {
    const [gone = ''] = left.splice(Math.max(1, left.length - 3), 1);
    if (left.length === 3 && block.length > 3) left[0] += `: ${gone.trim()}`;
  }
  return left;
}

function titleLine({ title, note }: Item): string {
  return `  - ${title}${note === undefined ? '' : ` (${note})`}`;
}

function bodyLines({ happened, advice, again }: Item): string[] {
  return [
    ...happened.map((line) => `    ${line.split('\n')[0]}`),
    // Of a line for a test, those before it are what it needs.
    ...(advice ? [`    How to fix it: ${advice.replace(/: .*\n/s, ': ')}`] : []),
    ...(again ? [`    Again: ${again}`] : []),
  ];
}

function itemLines(item: Item): string[] {
  return [titleLine(item), ...bodyLines(item)];
}

/** JUnit XML, which CI systems read. */
export function printJunit({ of, command: suite, seconds, cases, error, output }: Printable): string {
  const tests = cases.map(({ items: [first, ...others] = [], ...test }): JunitCase => {
    if (!first) return test;
    const body = [first, ...others].flatMap(itemLines);
    return { ...test, failure: { message: first.heading ?? first.title, type: first.kind, body } };
  });
  return printJunitXml({ of, suite, seconds, cases: tests, error, output });
}

const MOST_LISTED = 100;

/** Markdown for the summary of a CI run, and for a comment. */
export function printReportMarkdown(report: Printable): string {
  const { of, title, command, sum, error, sections, head = [], notes, table } = report;
  const blocks = sections
    .filter(({ items }) => items.length > 0)
    .flatMap((section) => {
      const left = section.items.length - MOST_LISTED;
      const shown = section.items.slice(0, MOST_LISTED).map(markdownOf);
      return [`**${markdownText(section.title)}**`, shown.join('\n'), left > 0 ? `And ${left} more.` : ''];
    });
  return printMarkdown(`${of.charAt(0).toUpperCase()}${of.slice(1)}: ${title}`, [
    `\`${command.replaceAll('`', "'")}\`: ${sum}`,
    markdownText(error?.message ?? ''),
    ...blocks,
    table ? markdownTable(table.heads, table.rows) : '',
    markdownList([...head, ...notes].map(markdownText)),
  ]);
}

function markdownOf(item: Item): string {
  const { title, note, again } = item;
  const lines = bodyLines({ ...item, again: undefined }).map((line) => `  ${markdownText(line.trim())}`);
  const command = again ? [`  \`${again.replaceAll('`', "'")}\``] : [];
  const head = `- ${markdownText(title)}${note === undefined ? '' : ` (${markdownText(note)})`}`;
  return [head, ...lines, ...command].join('  \n');
}

const HOME = 'https://www.npmjs.com/package/svc-emulator';
const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF 2.1.0, of one run: a result for each test of what was found, at its file and line where they are known. */
export function printSarif({ of, version, exit, command, sections }: Printable): string {
  const items = sections.flatMap((section) => section.items);
  const ruled = new Map(items.map(({ kind, title, rule = { id: kind, text: title } }) => [rule.id, rule]));
  const rules = [...ruled.values()].map(({ id, text, harm, help }) => ({
    id,
    shortDescription: { text },
    ...(harm && { fullDescription: { text: harm } }),
    help: { text: help ?? '' },
  }));
  const driver = { name: `svc-emulator ${of}`, version, informationUri: HOME, rules };
  const invocation = { executionSuccessful: exit < 2, exitCode: exit, commandLine: command };
  const run = { tool: { driver }, invocations: [invocation], results: items.flatMap(sarifOf) };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function sarifOf(item: Item): object[] {
  const { kind, rule, isWarning = false, tests = [], title, note, happened, advice, again } = item;
  const head = note === undefined ? title : `${title} (${note})`;
  const text = [head, ...happened, ...(advice ? [`How to fix it: ${advice}`] : []), ...(again ? [again] : [])];
  return (tests.length > 0 ? tests : [undefined]).map((test) => {
    const { file, line } = test ?? {};
    const region = line === undefined ? {} : { region: { startLine: line } };
    const artifactLocation = { uri: file?.split('\\').join('/') };
    return {
      ruleId: rule?.id ?? kind,
      level: isWarning ? 'warning' : 'error',
      message: { text: text.join('\n') },
      ...(file === undefined ? {} : { locations: [{ physicalLocation: { artifactLocation, ...region } }] }),
      partialFingerprints: { 'lieSiteUnit/v1': [item.fingerprint ?? item.token, test?.name].filter(Boolean).join(' ') },
    };
  });
}

/** Articles of one page: what more there is is in the JSON. */
const MOST_ARTICLES = 60;

/** The report as one page shows it. */
export function pageOf(report: Printable): ReportFile {
  const { of, command, title, sum, error, sections, head = [], table, notes, parts = [], note } = report;
  const groups = sections.map((section) => ({
    title: section.title,
    articles: section.items.slice(0, MOST_ARTICLES).map((item) => articleOf(section.title, item)),
  }));
  const overview = table ? [{ title: 'Overview', articles: [tableArticle(table, title)] }] : [];
  const said = listParts('Notes', [...new Set([...head, ...notes])]);
  return {
    report: {
      of,
      command,
      error: error?.message,
      title,
      sum,
      groups: [...overview, ...groups],
      parts: [...said, ...parts],
      note,
    },
  };
}

function tableArticle({ title, heads, rows }: NonNullable<Printable['table']>, sum: string): ReportArticle {
  const badge = { tone: 'wait', text: 'all' } as const;
  const article = { id: 'all', title: sum, note: '', notes: [], heading: title, badge };
  return { ...article, rows: [tableParts('All of them', heads, rows)] };
}

function articleOf(section: string, item: Item): ReportArticle {
  const { token, kind, title, note, happened, advice, again, tests = [], badge = kind, marks = [] } = item;
  const places = tests.flatMap(({ file, line }) => (file === undefined ? [] : [line ? `${file}:${line}` : file]));
  const copies = [
    ...(again ? [codePart('See it again', again, `Command for ${title}`)] : []),
    codePart('Copy for an assistant', [section, ...itemLines(item)].join('\n'), `Text of ${title}`),
  ];
  return {
    id: token,
    title,
    note: note ?? kind,
    badge: { tone: item.isWarning ? 'wait' : 'bad', text: badge },
    notes: [...marks, ...places],
    heading: item.heading ?? title,
    rows: [
      [...listParts('What happened', happened), ...(advice ? [textPart('How to fix it', advice)] : [])],
      copies,
      ...(item.details ?? []),
    ],
  };
}
