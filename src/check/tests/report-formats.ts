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
  const { version, exit, command } = report;
  const survivors = bySite(report.lies).filter(({ verdict }) => verdict === 'survived');
  const names = [...new Set(survivors.map(({ lie }) => lie))];
  const rules = LIES.filter(({ name }) => names.includes(name)).map(({ name, harm, sees }) => ({
    id: name,
    shortDescription: { text: `Not caught: ${lieInWords(name)}.` },
    fullDescription: { text: harm },
    help: { text: `To catch it: ${sees}.` },
  }));
  const results = survivors.flatMap((site) => site.rows.flatMap((row) => resultOf(site, row, report)));
  return printSarifRun({ of: 'mutate', version, exit, command, rules, results });
}

/** What a result of SARIF says, and where. */
interface SarifResult {
  ruleId: string;
  level: 'error' | 'warning';
  text: string;
  file: string | undefined;
  line: number | undefined;
  /** By which it is the same in the next run. */
  fingerprint: string;
}

interface SarifRun {
  /** The command of this program that writes it. */
  of: string;
  version: string;
  exit: number;
  command: string;
  rules: readonly object[];
  results: readonly SarifResult[];
}

/** A report as SARIF, of one run. */
export function printSarifRun({ of, version, exit, command, rules, results }: SarifRun): string {
  const driver = { name: `svc-emulator ${of}`, version, informationUri: HOME, rules };
  const invocation = { executionSuccessful: exit < 2, exitCode: exit, commandLine: command };
  const run = { tool: { driver }, invocations: [invocation], results: results.map(sarifOf) };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

const HOME = 'https://www.npmjs.com/package/svc-emulator';
const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

function sarifOf({ ruleId, level, text, file, line, fingerprint }: SarifResult): object {
  const region = line === undefined ? {} : { region: { startLine: line } };
  const artifactLocation = { uri: file?.split('\\').join('/') };
  return {
    ...{ ruleId, level, message: { text } },
    ...(file === undefined ? {} : { locations: [{ physicalLocation: { artifactLocation, ...region } }] }),
    partialFingerprints: { 'lieSiteUnit/v1': fingerprint },
  };
}

function resultOf(site: LieAtSite, row: ReportedLie, report: MutateReport): SarifResult[] {
  if (row.verdict !== 'survived') return [];
  const unit = report.units.find(({ name }) => name === row.unit);
  const text = `Not caught by ${row.unit}: ${lieInWords(row.lie, row.field)} (${row.site}). To catch it: ${row.assertion ?? toSee(site)}`;
  const [level, fingerprint] = [row.harm ? ('error' as const) : ('warning' as const), `${site.key} ${row.unit}`];
  return [{ ruleId: row.lie, level, text, file: unit?.file, line: unit?.line, fingerprint }];
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
