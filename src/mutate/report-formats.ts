import { LIES, lieRow } from '../faults/lies/lie-table.ts';
import { counted } from '../log/log.ts';
import { xmlText } from '../report-card/xml-text.ts';
import { lieInWords } from './lie-words.ts';
import { bySite, type LieAtSite, survivorsOf } from './mutate-report.ts';
import { numbersLine } from './print-survivors.ts';
import type { MutateReport, ReportedLie } from './report-schema.ts';

/** Which survivors fail a gate: with a baseline those that it neither has nor accepts, else all. */
export type Breaks = (site: LieAtSite) => boolean;

/** JUnit XML: a test for each lie at its site; it fails for a survivor that breaks a gate. */
export function printMutateJunit(report: MutateReport, breaks: Breaks): string {
  const cases = bySite(report.lies).map((site) => caseOf(site, breaks));
  const failures = cases.filter(({ kind }) => kind === 'failure').length;
  const skipped = cases.filter(({ kind }) => kind === 'skipped').length;
  const errors = report.error ? 1 : 0;
  const counts = `tests="${cases.length + errors}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator mutate" ${counts}>`,
    `  <testsuite name="${xmlText(report.command)}" ${counts} time="${report.measured.seconds}">`,
    ...cases.flatMap(({ lines }) => lines),
    ...(report.error ? errorCase(report.error) : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface Case {
  kind: 'passed' | 'failure' | 'skipped';
  lines: string[];
}

function caseOf(site: LieAtSite, breaks: Breaks): Case {
  const { key, family, verdict, rows, lie, field } = site;
  const head = `    <testcase classname="${family}" name="${xmlText(key)}"`;
  const isRemembered = rows.every(({ remembered }) => remembered);
  if (verdict === 'survived' && breaks(site)) {
    const message = `The tests would not notice if ${lieInWords(lie, field)}.`;
    const body = [...unitsOf(rows), toSee(site)].map(xmlText).join('\n');
    return {
      kind: 'failure',
      lines: [`${head}>`, `      <failure message="${xmlText(message)}">${body}</failure>`, '    </testcase>'],
    };
  }
  if (verdict === 'noticed' && !isRemembered) return { kind: 'passed', lines: [`${head}/>`] };
  const why = isRemembered ? `remembered: ${verdict}` : verdict;
  return { kind: 'skipped', lines: [`${head}>`, `      <skipped message="${why}"/>`, '    </testcase>'] };
}

function errorCase({ exit_code: code, message }: NonNullable<MutateReport['error']>): string[] {
  const error = `      <error type="exit ${code}" message="${xmlText(message)}"/>`;
  return ['    <testcase classname="mutate" name="ends well">', error, '    </testcase>'];
}

function unitsOf(rows: readonly ReportedLie[]): string[] {
  return rows.filter(({ verdict }) => verdict === 'survived').map(({ unit }) => unit);
}

/** The assertion that sees a survivor, proven where there is one. */
export function toSee({ rows, lie }: LieAtSite): string {
  return rows.find(({ assertion }) => assertion !== undefined)?.assertion ?? lieRow(lie)?.sees ?? '';
}

/** SARIF 2.1.0: a result for each survivor, at the test's file and line where they are known. */
export function printSarif(report: MutateReport): string {
  const survivors = bySite(report.lies).filter(({ verdict }) => verdict === 'survived');
  const names = [...new Set(survivors.map(({ lie }) => lie))];
  const rules = LIES.filter(({ name }) => names.includes(name)).map(({ name, harm, sees }) => ({
    id: name,
    shortDescription: { text: `The tests would not notice if ${lieInWords(name)}.` },
    fullDescription: { text: harm },
    help: { text: `To see it: ${sees}.` },
  }));
  const driver = { name: 'svc-emulator mutate', version: report.version, informationUri: HOME, rules };
  const results = survivors.flatMap((site) => site.rows.flatMap((row) => resultOf(site, row, report)));
  const invocation = { executionSuccessful: report.exit < 2, exitCode: report.exit, commandLine: report.command };
  const run = { tool: { driver }, invocations: [invocation], results };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

const HOME = 'https://www.npmjs.com/package/svc-emulator';
const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

function resultOf(site: LieAtSite, row: ReportedLie, report: MutateReport): object[] {
  if (row.verdict !== 'survived') return [];
  const unit = report.units.find(({ name }) => name === row.unit);
  const region = unit?.line === undefined ? {} : { region: { startLine: unit.line } };
  const artifactLocation = { uri: unit?.file?.split('\\').join('/') };
  const text = `${row.unit} would not notice if ${lieInWords(row.lie, row.field)} (${row.site}). To see it: ${toSee(site)}`;
  return [
    {
      ...{ ruleId: row.lie, level: row.harm ? 'error' : 'warning', message: { text } },
      ...(unit?.file === undefined ? {} : { locations: [{ physicalLocation: { artifactLocation, ...region } }] }),
      partialFingerprints: { 'lieSiteUnit/v1': `${site.key} ${row.unit}` },
    },
  ];
}

const MOST_ROWS = 100;

/** Markdown for the summary of a CI run. */
export function printMutateMarkdown(report: MutateReport): string {
  const survivors = survivorsOf(report);
  const { told, planned, runs } = report.measured;
  const rows = survivors.slice(0, MOST_ROWS).map((site) => {
    const cells = [lieInWords(site.lie, site.field), site.site, unitsOf(site.rows)[0] ?? '', toSee(site)];
    return `| ${cells.map(cellOf).join(' | ')} |`;
  });
  const title = survivors.length === 0 ? 'No lie went unnoticed' : `${counted(survivors.length, 'lie')} unnoticed`;
  const table = ['| Your tests would not notice if | at | met by | to see it |', '| --- | --- | --- | --- |', ...rows];
  const left = survivors.length - rows.length;
  return [
    `### Mutate: ${title}`,
    '',
    `\`${report.command}\`: ${numbersLine(report)}. Told ${told} of ${planned} planned in ${counted(runs, 'run')}.`,
    ...(report.error ? ['', cellOf(report.error.message)] : []),
    ...(rows.length === 0 ? [] : ['', ...table]),
    ...(left > 0 ? ['', `And ${left} more.`] : []),
    '',
  ].join('\n');
}

function cellOf(text: string): string {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .join(' ');
  return line.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
