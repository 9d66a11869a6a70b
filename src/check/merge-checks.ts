import { mergeReports } from './app/merge-reports.ts';
import type { CheckReport, PartReports } from './check-report.ts';
import { mergeMutateReports } from './tests/merge-reports.ts';

/** The parts of all shards of one check as one. Throws where they are not of one. */
export function mergeParts(reports: readonly CheckReport[]): PartReports {
  const [first] = reports;
  if (!first) throw new Error('There is no report to merge.');
  for (const field of ['version', 'command', 'seed', 'lock'] as const) {
    const other = reports.find((each) => each[field] !== first[field]);
    if (other) throw new Error(`The reports are not of one check: ${field} is ${first[field]} and ${other[field]}.`);
  }
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
