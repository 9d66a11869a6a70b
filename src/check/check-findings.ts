import { stripVTControlCharacters } from 'node:util';
import { placeText } from '../base/output/place-text.ts';
import { assertionIn } from '../base/output/printed-lines.ts';
import { failedTestsIn } from '../base/output/reported-tests.ts';
import { libertyInWords, lieInWords, lieRow } from '../control/lies/lie-table.ts';
import type { CheckResult } from '../control/receiver/report-card.ts';
import type { ExploreReport, ReportedFinding } from './app/explore-report.ts';
import { isOutcome, type Schedule, wordsOf } from './app/schedule.ts';
import { type Again, replayLine } from './app/token.ts';
import type { CheckFinding, PartReports } from './check-report.ts';
import { readLieToken, writeLieToken } from './lie-token.ts';
import type { DriftResult } from './service/drift-report.ts';
import { type Baseline, spendDifference } from './spend/print-run-report.ts';
import type { RunReport } from './spend/run-report.ts';
import { isAmong, STATEMENTS, statementRow } from './statements.ts';
import { brittleOf, survivingUnits, survivorsOf } from './tests/mutate-report.ts';
import { toSee } from './tests/report-formats.ts';
import type { MutateReport } from './tests/report-schema.ts';

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

/** A failing scenario: the test and its assertion, else what failed. */
function ofScenario(finding: ReportedFinding): Found {
  const { token, schedule, kind, message, output, tests = [], site } = finding;
  const [test] = tests;
  const names = test ? [test.name] : failedTestsIn(output.split('\n')).slice(0, 1);
  const assertion = oneLine(test?.error ?? (kind === 'exit' || kind === 'check' ? assertionIn(output) : ''));
  const failed = names.map((name) => `Test "${name}" failed${placeText(test)}${assertion && `: ${assertion}`}`);
  const plain = kind === 'exit' && failed.length === 0 && assertion !== '' ? [assertion] : [];
  const where = site && failed.length === 0 ? `In test "${site.name}"${placeText(site)}: ` : '';
  const said = kind === 'exit' && failed.length > 0 ? [] : [where + message];
  const advice = schedule.map(({ deviation }) => MENDS[deviation]).find((mend) => mend !== undefined);
  return {
    ...{ token, part: 'app', kind, statement: statementOf(finding), title: schedule.map(wordsOf).join('; ') },
    ...{ happened: [...said, ...failed, ...plain], ...fileOf(test ?? site), ...(advice && { advice }) },
  };
}

/** How a finding is mended, where that of its statement does not fit. */
const MENDS: Readonly<Record<string, string>> = {
  'status:500': 'Ask again after a 500, later each time, and then give up: nothing was done, and nothing is charged.',
};

function fileOf({ file, line }: { file?: string | undefined; line?: number | undefined } = {}) {
  return { ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
}

const LONGEST = 300;

function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** Which statement a deviation breaks, where several are at work the first that one of them is of. */
const BY_DEVIATION = [8, 5, 10, 9, 3, 6, 14, 7, 4, 2];

type Named = Pick<ReportedFinding, 'schedule' | 'kind' | 'code' | 'codes'>;

/**
 * The statement that a failing scenario breaks: by the code of the verdict, else by what was different. An order that is
 * lost and paid anew is of 1, and one that is not paid for of 7.
 */
export function statementOf({ schedule, kind, code, codes = [] }: Named): number {
  const named = STATEMENTS.find(({ codes }) => code !== undefined && codes.includes(code));
  if (named) return named.id;
  if (kind === 'check') return 11;
  const names = schedule.map(({ deviation }) => deviation);
  const isOf = (id: number) => names.some((name) => isAmong(name, statementRow(id)?.deviations ?? []));
  const hasPaid = kind === 'spend' || codes.some((each) => statementRow(1)?.codes.includes(each));
  if (hasPaid && isOf(1)) return 1;
  if (isRefundTwice(schedule)) return 2;
  return BY_DEVIATION.find(isOf) ?? 7;
}

/** What comes twice of a job that failed. */
function isRefundTwice(schedule: Schedule): boolean {
  const again = statementRow(6)?.deviations ?? [];
  return schedule.some(isOutcome) && schedule.some(({ deviation }) => isAmong(deviation, again));
}

function survivors(report: MutateReport): Found[] {
  const { version, seed } = report;
  return survivorsOf(report).map((site): Found => {
    const [unit = ''] = survivingUnits(site);
    const test = report.units.find(({ name }) => name === unit);
    const words = lieInWords(site.lie, site.field);
    const harmed = site.harm ? ' The app did something else than usual, and no test failed.' : '';
    return {
      ...{ token: writeLieToken({ version, seed, key: site.key }), part: 'tests', kind: 'survivor' },
      statement: isAmong(site.lie, ['hook']) ? 5 : 13,
      title: `Not caught: ${words} (${site.key})`,
      happened: [
        `Test "${unit}"${placeText(test)} met it and passed.${harmed}`,
        ...(lieRow(site.lie)?.harm ? [lieRow(site.lie)?.harm ?? ''] : []),
      ],
      advice: `Add to the test: ${toSee(site)}`,
      ...fileOf(test),
    };
  });
}

function brittle(report: MutateReport, most: number): Found[] {
  const all = brittleOf(report);
  if (all.length <= most) return [];
  const { version, seed, units } = report;
  return all.map(({ liberty, unit }): Found => {
    const test = units.find(({ name }) => name === unit);
    return {
      ...{ token: writeLieToken({ version, seed, key: liberty }), part: 'tests', kind: 'brittle', statement: 14 },
      title: `${libertyInWords(liberty)} (${liberty})`,
      happened: [`Test "${unit}"${placeText(test)} fails, and the contract allows it.`],
      ...fileOf(test),
    };
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

/** What was tried of a deviation and broke nothing: "duplicate: 1 of 4 tried". */
export function triedOf(app: ExploreReport, deviations: readonly string[]): string[] {
  return Object.entries(app.by_deviation)
    .map(([name, { run, failed }]) => [name, { run: run - failed }] as const)
    .filter(([name, { run }]) => run > 0 && isAmong(name, deviations))
    .map(([name, { run }]) => {
      const planned = Math.max(run, app.planned_by_deviation?.[name] ?? run);
      return `${name}: ${run} of ${planned} tried`;
    })
    .sort();
}
