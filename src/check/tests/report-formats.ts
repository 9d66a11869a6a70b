import { counted } from '../../base/counted.ts';
import { type JunitCase, printJunitXml } from '../../base/junit.ts';
import { markdownTable, markdownText, printMarkdown } from '../../base/markdown.ts';
import { printSarifRun, type SarifResult } from '../../base/sarif.ts';
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
    return [lieInWords(site.lie, site.field), site.site, unit, toSee(site)];
  });
  const title = survivors.length === 0 ? 'no lie was missed' : `${counted(survivors.length, 'lie')} not caught`;
  const left = survivors.length - rows.length;
  const sum = `${numbersLine(report)}. ${told} of ${planned} planned lies reached a test in ${counted(runs, 'run')}.`;
  return printMarkdown(`Mutate: ${title}`, [
    `\`${report.command}\`: ${sum}`,
    markdownText(report.error?.message ?? ''),
    markdownTable(['Not caught', 'Where', 'Test', 'Assertion'], rows),
    left > 0 ? `And ${left} more.` : '',
  ]);
}
