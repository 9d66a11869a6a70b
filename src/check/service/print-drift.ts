import { grouped } from '../../base/grouped.ts';
import { counted } from '../../base/text.ts';
import { tableParts } from '../../control/orders/report-file.ts';
import type { Case, Item, Printable } from '../print-report.ts';
import type { DriftReport, DriftResult } from './drift-report.ts';

/** Differences by what they touch, the gravest first. */
const GROUPS = [
  { title: 'Against a rule of the specification', is: ({ rule }: DriftResult) => rule !== undefined },
  { title: 'Otherwise than a choice of the emulator', is: ({ choice }: DriftResult) => choice !== undefined },
  { title: 'New', is: ({ rule, choice }: DriftResult) => rule === undefined && choice === undefined },
] as const;
const MOST_MISSED = 10;

/** What a comparison has come to, for all formats; with `isStrict` a test of JUnit fails for any difference. */
export function printableDrift(report: DriftReport, isStrict = false): Printable {
  const { version, against, exit, error, measured, results } = report;
  const of = (outcome: DriftResult['outcome']) => results.filter((each) => each.outcome === outcome);
  const differing = of('differs');
  const missed = of('not_measured').map((each) => `${each.operation} ${each.case}: ${each.there ?? each.here}`);
  const left = missed.length > MOST_MISSED ? [`and ${missed.length - MOST_MISSED} more`] : [];
  const groups = GROUPS.map(({ title, is }) => ({ title, items: differing.filter(is).map(itemOf) }));
  const found = groups.filter(({ items }) => items.length > 0);
  const counts = [
    `${of('same').length} same`,
    ...found.map(({ title, items }) => `${items.length} ${title.charAt(0).toLowerCase()}${title.slice(1)}`),
    ...(['unused', 'not_measured'] as const)
      .filter((outcome) => of(outcome).length > 0)
      .map((outcome) => `${of(outcome).length} ${outcome.replace('_', ' ')}`),
  ];
  const { requests, credits, seconds } = measured;
  const spent = `${counted(requests, 'request')}, ${counted(credits, 'credit')}, ${Math.round(seconds)} s`;
  const others = results.filter(({ outcome }) => outcome !== 'differs');
  const rows = others.map((each) => [
    each.outcome.replace('_', ' '),
    each.operation,
    each.case,
    each.there ?? each.here ?? '',
  ]);
  return {
    of: 'drift',
    version,
    command: against,
    exit,
    error,
    seconds,
    title: differing.length === 0 ? 'no difference' : counted(differing.length, 'difference'),
    sum: `${counts.join(', ')} (${spent}).`,
    head: [],
    sections: found,
    notes: missed.length === 0 ? [] : [['Not measured:', ...missed.slice(0, MOST_MISSED), ...left].join('\n  ')],
    cases: [...grouped(results, (each) => `${each.operation} ${each.case}`).values()].flatMap((own) =>
      caseOf(own, isStrict),
    ),
    parts: tableParts('All other cases', ['Outcome', 'Operation', 'Case', 'There'], rows),
  };
}

/** A difference in a sentence, under the rule or choice that it touches. */
function itemOf({ operation, case: words, what, path, there, here, rule, choice }: DriftResult, at: number): Item {
  const where = path === undefined || path === what ? what : `${what} ${path}`;
  const id = rule ?? choice ?? 'new';
  return {
    token: `${id}-${at + 1}`,
    kind: id,
    title: `${id} ${operation} ${words}`,
    happened: [`${where}: ${there ?? 'nothing'} there, ${here ?? 'nothing'} here`],
    isWarning: rule === undefined,
  };
}

function caseOf(results: readonly DriftResult[], isStrict: boolean): Case[] {
  const [first] = results;
  if (!first) return [];
  const test = { classname: first.operation, name: first.case };
  if (first.outcome === 'not_measured') {
    return [{ ...test, skipped: `not measured: ${first.there ?? first.here ?? ''}` }];
  }
  const failing = results.filter((each) => each.outcome === 'differs' && (isStrict || each.rule !== undefined));
  return [{ ...test, items: failing.map(itemOf) }];
}
