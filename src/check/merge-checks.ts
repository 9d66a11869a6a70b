import { mergeReports } from './app/merge-reports.ts';
import type { CheckReport, PartReports } from './check-report.ts';
import { requireSameRun } from './runner/same-run.ts';
import { mergeMutateReports } from './tests/merge-reports.ts';

/** The parts of all shards of one check as one. Throws where they are not of one. */
export function mergeParts(reports: readonly CheckReport[]): PartReports {
  requireSameRun(reports, ['version', 'command', 'seed', 'lock']);
  const parts = reports.map((report) => report.parts);
  const apps = parts.flatMap(({ app }) => app ?? []);
  const tests = parts.flatMap((each) => each.tests ?? []);
  const [spend] = parts.flatMap((each) => each.spend ?? []);
  const [receiver] = parts.flatMap((each) => each.receiver ?? []);
  const [service] = parts.flatMap((each) => each.service ?? []);
  return {
    ...(apps.length > 0 && { app: mergeReports(apps) }),
    ...(tests.length > 0 && { tests: mergeMutateReports(tests) }),
    ...(spend && { spend }),
    ...(receiver && { receiver }),
    ...(service && { service }),
  };
}
