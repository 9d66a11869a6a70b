import { requireSameRun } from '../runner/same-run.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import { addFinding } from './finding-book.ts';

/** One report of the shards of one search. Throws where they are not of one. */
export function mergeReports(reports: readonly ExploreReport[]): ExploreReport {
  const first = requireSameRun(reports, ['version', 'seed', 'bound', 'schedules_hash']);
  return reports.slice(1).reduce(added, first);
}

function added(sum: ExploreReport, each: ExploreReport): ExploreReport {
  const counted = ['schedules_run', 'schedules_left', 'schedules_followed'] as const;
  const sums = Object.fromEntries(counted.map((field) => [field, sum[field] + each[field]]));
  return Object.assign({}, sum, sums, {
    seconds: Math.max(sum.seconds, each.seconds),
    findings: unitedFindings(sum.findings, each.findings),
    unstable: united(sum.unstable, each.unstable),
    unconfirmed: united(sum.unconfirmed, each.unconfirmed),
    by_deviation: addedCounts(sum.by_deviation, each.by_deviation),
    ...(sum.planned_by_deviation && { planned_by_deviation: addedPlans(sum, each) }),
    ...(sum.expects_success && { expects_success: [...sum.expects_success, ...(each.expects_success ?? [])] }),
    ...((sum.error ?? each.error) ? { error: sum.error ?? each.error } : {}),
  });
}

/** What one cause brought about in several shards is one finding. */
function unitedFindings(some: readonly ReportedFinding[], others: readonly ReportedFinding[]): ReportedFinding[] {
  const all = some.map((each) => ({ ...each }));
  for (const each of others) addFinding(all, { ...each });
  return all;
}

function united<T extends { token: string; seen: number }>(some: readonly T[], others: readonly T[]): T[] {
  const all = new Map(some.map((each) => [each.token, each]));
  for (const each of others) {
    const same = all.get(each.token);
    all.set(each.token, same ? { ...same, seen: same.seen + each.seen } : each);
  }
  return [...all.values()];
}

type Counts = ExploreReport['by_deviation'];

function addedCounts(some: Counts, others: Counts): Counts {
  const names = [...new Set([...Object.keys(some), ...Object.keys(others)])];
  return Object.fromEntries(
    names.map((name) => {
      const [one, other] = [some[name], others[name]];
      return [name, { run: (one?.run ?? 0) + (other?.run ?? 0), failed: (one?.failed ?? 0) + (other?.failed ?? 0) }];
    }),
  );
}

function addedPlans(sum: ExploreReport, each: ExploreReport): Record<string, number> {
  const [some = {}, others = {}] = [sum.planned_by_deviation, each.planned_by_deviation];
  const names = [...new Set([...Object.keys(some), ...Object.keys(others)])];
  return Object.fromEntries(names.map((name) => [name, (some[name] ?? 0) + (others[name] ?? 0)]));
}
