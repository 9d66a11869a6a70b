import { distinct } from '../base/text.ts';
import type { CheckReport, CheckState, Finding } from './report.ts';
import { RunFault } from './runner/runner.ts';

/** Merges the reports of all shards. Throws `RunFault` if they belong to different runs. */
export function mergeReports(reports: readonly CheckReport[]): CheckReport {
  const first = requireSameRun(reports);
  const findings = distinct(
    reports.flatMap((report) => report.findings),
    ({ check, title, test }) => `${check} ${title} ${test?.name}`,
  );
  const counts = reports.map(({ measured }) => measured);
  const seconds = Math.max(...counts.map((each) => each.seconds));
  return {
    ...first,
    measured: { planned: sumOf(counts, 'planned'), run: sumOf(counts, 'run'), seconds },
    checks: first.checks.map((check, at) => {
      const own = reports.flatMap((report) => report.checks[at] ?? []);
      return mergeStates(
        own,
        findings.filter((finding) => finding.check === check.id),
        check,
      );
    }),
    findings,
    expects_success: distinct(
      reports.flatMap((report) => report.expects_success),
      ({ fault }) => fault,
    ),
    dead_tests: [...new Set(reports.flatMap((report) => report.dead_tests))],
  };
}

function mergeStates(own: readonly CheckState[], findings: readonly Finding[], { id }: CheckState): CheckState {
  const counts = (id === 'spend-unchanged' ? own.slice(0, 1) : own).map((each) => each.tried);
  const tried = { run: sumOf(counts, 'run'), of: sumOf(counts, 'of') };
  const base = { id, tried, findings: findings.map(({ token }) => token) };
  if (findings.some(({ state }) => state === 'new')) return { ...base, state: 'failed' };
  const of = (state: CheckState['state']) => own.find((each) => each.state === state);
  const passed = of('passed');
  const { why, next } = (passed ? undefined : (of('not_tested') ?? of('not_applicable'))) ?? {};
  const state = passed ? 'passed' : of('not_tested') ? 'not_tested' : 'not_applicable';
  return { ...base, state, ...(why !== undefined && { why }), ...(next !== undefined && { next }) };
}

function sumOf<Field extends string>(all: readonly Record<Field, number>[], field: Field): number {
  return all.reduce((total, each) => total + each[field], 0);
}

const SAME = ['version', 'command', 'seed'] as const;

function requireSameRun([first, ...rest]: readonly CheckReport[]): CheckReport {
  if (!first) throw new RunFault('There is no report to merge.');
  for (const field of SAME) {
    const other = rest.find((each) => each[field] !== first[field]);
    if (other) {
      throw new RunFault(
        `The reports belong to different runs: ${field} is ${first[field]} in one and ${other[field]} in another.`,
      );
    }
  }
  return first;
}
