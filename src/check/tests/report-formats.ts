import { counted } from '../../base/counted.ts';
import { type JunitCase, printJunitXml } from '../../base/junit.ts';
import { LIES, lieInWords, lieRow } from '../../control/lies/lie-table.ts';
import { bySite, type LieAtSite, survivingUnits, survivorsOf } from './mutate-report.ts';
import { numbersLine } from './print-survivors.ts';
import type { MutateReport, ReportedLie } from './report-schema.ts';

/** Which survivors fail a gate: with a baseline those that it neither has nor accepts, else all. */
export type Breaks = (site: LieAtSite) => boolean;

/** JUnit XML: a test for each lie at its site; it fails for a survivor that breaks a gate. */
export function printMutateJunit(report: MutateReport, breaks: Breaks): string {
  const { command: suite, error } = report;
  const cases = bySite(report.lies).map((site) => caseOf(site, breaks));
  return printJunitXml({ of: 'mutate', suite, seconds: report.measured.seconds, cases, error });
}

function caseOf(site: LieAtSite, breaks: Breaks): JunitCase {
  const { key: name, family: classname, verdict, rows, lie, field } = site;
  if (verdict === 'survived' && breaks(site)) {
    const message = `Not caught: ${lieInWords(lie, field)}.`;
    return { classname, name, failure: { message, body: [...survivingUnits(site), toSee(site)] } };
  }
  const isRemembered = rows.every(({ remembered }) => remembered);
  if (verdict === 'noticed' && !isRemembered) return { classname, name };
  return { classname, name, skipped: isRemembered ? `remembered: ${verdict}` : verdict };
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
    shortDescription: { text: `Not caught: ${lieInWords(name)}.` },
    fullDescription: { text: harm },
    help: { text: `To catch it: ${sees}.` },
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
  const text = `Not caught by ${row.unit}: ${lieInWords(row.lie, row.field)} (${row.site}). To catch it: ${row.assertion ?? toSee(site)}`;
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
    const proven = site.rows.find(({ assertion }) => assertion !== undefined);
    const unit = proven?.unit ?? survivingUnits(site)[0] ?? '';
    const cells = [lieInWords(site.lie, site.field), site.site, unit, toSee(site)];
    return `| ${cells.map(cellOf).join(' | ')} |`;
  });
  const title = survivors.length === 0 ? 'no lie was missed' : `${counted(survivors.length, 'lie')} not caught`;
  const table = ['| Not caught | Where | Test | Assertion |', '| --- | --- | --- | --- |', ...rows];
  const left = survivors.length - rows.length;
  return [
    `### Mutate: ${title}`,
    '',
    `\`${report.command}\`: ${numbersLine(report)}. ${told} of ${planned} planned lies reached a test in ${counted(runs, 'run')}.`,
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
