import { RunFault } from './runner.ts';

/** The first of reports. Throws `RunFault` where they are not of one run: what they are merged by differs. */
export function requireSameRun<Report extends object>(
  reports: readonly Report[],
  fields: readonly (keyof Report & string)[],
): Report {
  const [first, ...rest] = reports;
  if (!first) throw new RunFault('There is no report to merge.');
  for (const field of fields) {
    const other = rest.find((each) => each[field] !== first[field]);
    if (!other) continue;
    throw new RunFault(
      `The reports are not of one run: ${field} is ${first[field]} in one and ${other[field]} in another.`,
    );
  }
  return first;
}
