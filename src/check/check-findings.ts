import { placeText } from '../base/text.ts';
import { libertyInWords, lieRow } from '../control/lies/lie-table.ts';
import type { CheckResult } from '../control/receiver/report-card.ts';
import type { ExploreReport, ReportedFinding } from './app/explore-report.ts';
import { scenarioItem } from './app/print-explore.ts';
import { type Again, replayLine } from './app/token.ts';
import type { CheckFinding, PartReports } from './check-report.ts';
import type { Item } from './print-report.ts';
import type { DriftResult } from './service/drift-report.ts';
import type { RunReport } from './spend/run-report.ts';
import { type Baseline, spendDifference } from './spend/spend-baseline.ts';
import { isAmong, STATEMENTS, statementRow } from './statements.ts';
import {
  brittleOf,
  bySite,
  isMeasured,
  type LieAtSite,
  type MutateReport,
  survivorsOf,
  untriedOf,
} from './tests/mutate-report.ts';
import { readLieToken, writeLieToken } from './tests/plan.ts';
import { survivorItem } from './tests/print-mutate.ts';

/** What findings are made by, beside the reports of the parts. */
export interface FindingParts {
  /** Undefined where the story is a function. */
  again: Again | undefined;
  /** Of an earlier run; undefined where there is none. */
  spend: Baseline | undefined;
  maxBrittle: number;
  /** Codes of the verdict that are let pass. */
  allowed: readonly string[];
}

type Found = Omit<CheckFinding, 'advice' | 'again'> & { advice?: string };

/** Everything that was found, in the order of the statements. */
export function checkFindings(reports: PartReports, parts: FindingParts): CheckFinding[] {
  const { app, tests, spend, receiver, service } = reports;
  const found: Found[] = [
    ...(app ? app.findings.map(ofScenario) : []),
    ...(spend ? ofSpend(spend, parts) : []),
    ...(tests ? [...survivors(tests), ...brittle(tests, parts.maxBrittle)] : []),
    ...(receiver?.checks ?? []).filter(({ verdict }) => verdict === 'fail').map(ofReceiver),
    ...(service?.results ?? [])
      .filter(({ outcome, rule }) => outcome === 'differs' && rule !== undefined)
      .map(ofService),
  ];
  return found
    .map(({ advice, ...each }) => ({
      ...each,
      advice: advice ?? statementRow(each.statement)?.mend ?? '',
      again: parts.again ? replayLine(each.token, { ...parts.again, isCheck: true }) : inCode(each),
    }))
    .sort((a, b) => a.statement - b.statement || (a.title < b.title ? -1 : 1));
}

/** How a story that is a function is run again under one finding. */
function inCode({ part, token }: Found): string {
  const lie = readLieToken(token);
  if (part === 'tests' && lie) return `mutate(story, { lie: '${lie.key}' })`;
  return replayLine(token, undefined);
}

/** An item as a report has it: with the first of its tests. */
function foundOf(item: Item, about: Pick<Found, 'part' | 'statement'> & Partial<Found>): Found {
  const { token, kind, title, happened, advice, tests: [test] = [] } = item;
  const { file, line } = test ?? {};
  const place = { ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
  return { token, kind, title, happened: [...happened], ...place, ...(advice !== undefined && { advice }), ...about };
}

function ofScenario(finding: ReportedFinding): Found {
  return foundOf(scenarioItem(finding), { part: 'app', statement: finding.statement });
}

function survivors(report: MutateReport): Found[] {
  const { version, seed } = report;
  return survivorsOf(report).map((site): Found => {
    const item = survivorItem(site, report);
    const token = writeLieToken({ version, seed, key: site.key });
    const statement = isAmong(site.lie, ['hook']) ? 5 : 13;
    const about = { token, part: 'tests', statement, title: `Not caught: ${item.title} (${site.key})` } as const;
    // What is believed is mended in the app, not in its tests.
    return foundOf(statement === 5 ? { ...item, advice: undefined } : item, about);
  });
}

function brittle(report: MutateReport, most: number): Found[] {
  const all = brittleOf(report);
  if (all.length <= most) return [];
  const { version, seed, units } = report;
  return all.map(({ liberty, unit }): Found => {
    const tests = units.filter(({ name }) => name === unit);
    const title = `${libertyInWords(liberty)} (${liberty})`;
    const happened = [`Test "${unit}"${placeText(tests[0])} fails, and the contract allows it.`];
    const token = writeLieToken({ version, seed, key: liberty });
    return foundOf({ token, kind: 'brittle', title, happened, tests }, { part: 'tests', statement: 14 });
  });
}

/** What the verdict finds in the baseline run, and what it cost. */
function ofSpend(report: RunReport, { spend, allowed }: FindingParts): Found[] {
  const found = report.findings
    .filter(({ finding }) => !allowed.includes(finding))
    .map(({ finding, message, remedy }): Found => {
      const statement = STATEMENTS.find(({ codes }) => codes.includes(finding))?.id ?? 7;
      const about = { token: `spend:${finding}`, part: 'spend', kind: 'verdict', statement } as const;
      return { ...about, title: `${finding} in the baseline run`, happened: [message], advice: remedy };
    });
  const difference = spend ? spendDifference(report, spend) : [];
  if (difference.length === 0) return found;
  const about = { token: 'spend:baseline', part: 'spend', kind: 'spend', statement: 12 } as const;
  return [...found, { ...about, title: 'the baseline run costs something else', happened: difference.slice(0, 3) }];
}

function ofReceiver({ name, title, correct, got, mend }: CheckResult): Found {
  const again = isAmong(name, statementRow(6)?.deviations ?? []);
  const statement = title.startsWith('refuses') ? 5 : again ? 6 : 14;
  const happened = [`A correct receiver answers ${correct}; this one: ${got}`];
  const about = { token: `receiver:${name}`, part: 'receiver', kind: 'receiver', statement } as const;
  return { ...about, title: `The receiver ${title}: no`, happened, ...(mend && { advice: mend }) };
}

function ofService({ operation, case: words, what, path, there, here, rule }: DriftResult, at: number): Found {
  const about = { token: `service:${at + 1}`, part: 'service', kind: 'difference', statement: 15 } as const;
  const where = path === undefined ? what : `${what} of ${path}`;
  return {
    ...about,
    title: `${operation}, ${words}: ${where} (${rule})`,
    happened: [`The service: ${there ?? 'nothing'}; the emulator: ${here ?? 'nothing'}`],
  };
}

/** Lies of these names or families at their sites, of which something can be said. */
export function liesOf(tests: MutateReport | undefined, names: readonly string[]): LieAtSite[] {
  return bySite(tests?.lies ?? []).filter((site) => isMeasured(site) && isAmong(site.lie, names));
}

/** How many lies of these names or families, or of all, there was no time for. */
export function leftOf(tests: MutateReport | undefined, names?: readonly string[]): number {
  const left = tests ? untriedOf(tests, 'left (budget)') : [];
  return left.filter((lie) => lieRow(lie) && (names === undefined || isAmong(lie, names))).length;
}

/** How many scenarios of these deviations were tried, of those that were planned. */
export function shareOf(
  { by_deviation, planned_by_deviation }: ExploreReport,
  deviations: readonly string[],
): { tried: number; planned: number } {
  const isOwn = ([name]: readonly [string, unknown]) => isAmong(name, deviations);
  const planned = Object.entries(planned_by_deviation ?? {}).filter(isOwn);
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  return {
    tried: sum(planned.map(([name, most]) => Math.min(most, by_deviation[name]?.run ?? 0))),
    planned: sum(planned.map(([, most]) => most)),
  };
}

/** What was tried of a deviation and broke nothing: "duplicate: 1 of 4 tried". */
export function triedOf(app: ExploreReport, deviations: readonly string[]): string[] {
  return Object.entries(app.by_deviation)
    .map(([name, { run, failed }]) => ({ name, run: run - failed }))
    .filter(({ name, run }) => run > 0 && isAmong(name, deviations))
    .map(({ name, run }) => `${name}: ${run} of ${Math.max(run, app.planned_by_deviation?.[name] ?? run)} tried`)
    .sort();
}
