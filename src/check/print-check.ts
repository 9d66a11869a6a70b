import { counted } from '../base/text.ts';
import { printableExplore, type Shown as ShownScenarios } from './app/print-explore.ts';
import { titleOf } from './app/schedule.ts';
import { quotedForShell } from './app/token.ts';
import { leftOf, liesOf, shareOf } from './check-findings.ts';
import { type CheckFinding, type CheckReport, STATES, type State, type Statement } from './check-report.ts';
import { FAILED_ONCE, type JudgedCheck } from './make-check-report.ts';
import type { Item, Printable } from './print-report.ts';
import { statementRow } from './statements.ts';
import { readLieToken } from './tests/plan.ts';
import { printableMutate, type Shown as ShownLies } from './tests/print-mutate.ts';

/** What a report does not say and its page shows. */
export interface ShownCheck {
  scenarios: ShownScenarios;
  lies?: ShownLies | undefined;
}

const WORDS: Record<State, string> = {
  held: 'held',
  broken: 'broken',
  not_looked_at: 'not looked at',
  does_not_apply: 'do not apply',
};

/** What a check has come to, for all formats; of one finding `again`, only that. */
export function printableCheck(
  { report, complaints }: JudgedCheck,
  { shown, isAgain = false }: { shown?: ShownCheck; isAgain?: boolean } = {},
): Printable {
  const { version, command, exit, error, statements, findings, measured, parts } = report;
  const states = STATES.map((state) => ({ state, count: statements.filter((each) => each.state === state).length }));
  const itemOf = itemsBy(report, shown);
  const runs = (parts.app?.schedules_run ?? 0) + (parts.tests?.measured.runs ?? 0);
  const took = `${counted(Math.max(1, runs), 'run')} and ${Math.round(measured.seconds)} s.`;
  const own = ({ id }: Statement) => findings.filter(({ statement }) => statement === id).map(itemOf);
  return {
    of: 'check',
    version,
    command,
    exit,
    error,
    seconds: measured.seconds,
    title: states.flatMap(({ state, count }) => (count > 0 ? [inWords(state, count)] : [])).join(', '),
    sum: isAgain
      ? `It took ${took}`
      : `Tried ${measured.run} of ${measured.planned} kinds of scenarios and lies, in ${took}`,
    sections: statements
      .filter(({ state }) => state === 'broken')
      .map((each) => ({ title: `BROKEN ${nameOf(each)}${each.why ? ` (${each.why})` : ''}`, items: own(each) })),
    notes: [
      ...(isAgain ? [] : [...heldLine(report), ...unseenLines(statements), ...expectsLines(report)]),
      ...complaints,
    ],
    bounds: { lines: 40, items: 3, happened: 2 },
    cases: statements.map((each) => {
      const test = { classname: 'statement', name: nameOf(each) };
      if (each.state === 'held') return test;
      if (each.state === 'broken') return { ...test, items: own(each) };
      return { ...test, skipped: [each.why, each.next].filter(Boolean).join(': ') };
    }),
    table: { title: 'Your integration', heads: ['Statement', 'State', 'Evidence'], rows: statements.map(rowOf) },
  };
}

function inWords(state: State, count: number): string {
  return `${count} ${count === 1 && state === 'does_not_apply' ? 'does not apply' : WORDS[state]}`;
}

function nameOf({ id, text }: Pick<Statement, 'id' | 'text'>): string {
  return `${id}. Your integration ${text}`;
}

function rowOf({ id, text, state, evidence, why, next }: Statement): string[] {
  const said = state === 'held' ? evidence.join('; ') : [why, next].filter(Boolean).join(': ');
  return [`${id}. ${text}`, WORDS[state], state === 'broken' ? counted(evidence.length, 'finding') : said];
}

/** Findings with what the reports of their parts have of them. */
function itemsBy({ parts: { app, tests }, statements }: CheckReport, shown?: ShownCheck) {
  const items = new Map<string, Item>();
  if (shown) {
    const own = [
      ...(app ? printableExplore(app, shown.scenarios).sections : []),
      ...(tests ? printableMutate(tests, { shown: shown.lies }).sections : []),
    ];
    for (const item of own.flatMap((section) => section.items)) items.set(item.token, item);
  }
  return ({ token, part, kind, statement, title, happened, advice, again, file, line }: CheckFinding): Item => {
    const { details, marks = [] } = items.get(readLieToken(token)?.key ?? token) ?? {};
    const text = statements[statement - 1]?.text ?? '';
    return {
      token,
      kind,
      title,
      happened,
      advice,
      again,
      marks,
      badge: part,
      fingerprint: `${part} ${title}`,
      tests: file === undefined ? [] : [{ name: '', file, line }],
      isWarning: part === 'tests',
      rule: { id: `statement-${statement}`, text: `The integration ${text}: no`, help: advice },
      ...(details && { details }),
    };
  };
}

/** The statements that are held: where scenarios or lies are left, or no test caught a lie, with how many. */
function heldLine({ statements, parts }: CheckReport): string[] {
  const held = statements.filter(({ state }) => state === 'held');
  const lines = held.map(({ id }) => {
    const shares = sharesOf(id, parts);
    return `${id}${shares.length > 0 ? ` (${shares.join(', ')})` : ''}`;
  });
  return lines.length === 0 ? [] : [`Held: ${lines.join(', ')}.`];
}

function sharesOf(id: number, { app, tests }: CheckReport['parts']): string[] {
  const { deviations = [], lies: names = [] } = statementRow(id) ?? {};
  const own = liesOf(tests, names);
  const caught = own.filter(({ verdict }) => verdict === 'noticed').length;
  const left = leftOf(tests, id === 13 ? undefined : names);
  const { tried, planned } = app ? shareOf(app, deviations) : { tried: 0, planned: 0 };
  return [
    ...(tried < planned ? [`${tried} of ${planned} scenarios`] : []),
    ...(caught < own.length ? [`${caught} of ${counted(own.length, 'lie')} caught`] : []),
    ...(left > 0 ? [`${counted(left, 'lie')} not tried`] : []),
  ];
}

/** What nobody asked for is one line. */
function unseenLines(statements: readonly Statement[]): string[] {
  const unseen = statements.filter(({ state }) => state === 'not_looked_at');
  const isAsked = ({ why = '' }: Statement) => !why.endsWith('was not asked for') && !why.startsWith('left out by');
  const others = unseen.filter((each) => !isAsked(each)).map(({ id }) => id);
  const idle = statements.filter(({ state }) => state === 'does_not_apply').map(({ id }) => id);
  return [
    ...unseen.filter(isAsked).map(({ id, text, why, next }) => {
      const what = why?.startsWith(FAILED_ONCE) ? 'Not confirmed' : 'Not looked at';
      return `${what}: ${id}. ${text} (${why?.split('\n')[0]}): ${next}`;
    }),
    ...(others.length > 0 ? [`Not asked for: ${others.join(', ')}.`] : []),
    ...(idle.length > 0 ? [`Do not apply, as the tests have no such traffic: ${idle.join(', ')}.`] : []),
  ];
}

/** Tests that cannot pass where the service refuses: listed once, and no finding. */
function expectsLines({ parts: { app } }: CheckReport): string[] {
  return (app?.expects_success ?? []).map(({ schedule, test, did }) => {
    const names = schedule.map((entry) => `--expect-failure ${quotedForShell(titleOf([entry]))}`).join(' ');
    return `Expects success (for good: ${names}): ${test} under ${titleOf(schedule)} (${did}).`;
  });
}
