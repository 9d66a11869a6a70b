import { exploreFunction } from './app/explore-function.ts';
import type { CheckReport, PartName, PartReports } from './check-report.ts';
import { readCheckSettings } from './check-settings.ts';
import { CheckFindings, type CheckFunctionOptions } from './function-forms.ts';
import { makeCheckReport } from './make-check-report.ts';
import { printableCheck } from './print-check.ts';
import { printText } from './print-report.ts';
import type { StoryParts } from './runner/function-runner.ts';
import { ReportError, RunFault } from './runner/runner.ts';
import { type MutateFunctionParts, mutateFunction } from './tests/mutate-function.ts';

type Story = (parts: StoryParts) => unknown;

/** Stories at the same time, each on an account of its own. */
const JOBS = 16;

/**
 * Checks a story by both parts, one after the other. Rejects with `CheckFindings` where a statement is broken, and with
 * `RunFault` where nothing can be measured.
 */
export async function checkFunction(
  story: Story,
  { parts = ['app', 'tests'], assert: check, probe, ...options }: CheckFunctionOptions,
  host: MutateFunctionParts,
): Promise<CheckReport> {
  const { clock, version } = host;
  const { budgetMs, isLeftOut, isNarrowed, ...settings } = readCheckSettings(options, { parts, jobs: JOBS, version });
  const began = clock.real();
  const reports: PartReports = {};
  const faults: Partial<Record<PartName, string>> = {};
  const { seed, only, skip } = settings.app.search;
  const shared = defined({ check, probe, seed, jobs: options.jobs, mask: options.mask });
  // The second has what the first leaves.
  const share = (of: number) => (budgetMs === 0 ? 0 : Math.max(1, budgetMs - (clock.real() - began)) / of);
  const work = {
    async app() {
      const own = defined({ expectFailure: options.expectFailure, allow: options.allow });
      const budget = share(parts.length);
      reports.app = await reportOf(
        exploreFunction(story, { ...shared, ...own, only, skip, sparesRefusals: true, budget }, host),
      );
    },
    async tests() {
      const { tests } = settings;
      const own = { only: tests.only, skip: tests.skip, all: tests.all, budget: share(1) };
      reports.tests = await reportOf(mutateFunction(story, { ...shared, ...own }, host));
    },
  };
  for (const part of parts) {
    if (isLeftOut[part]) faults[part] = 'left out by --only';
    else {
      const fault = await work[part]().catch((error: unknown) => faultOf(error, parts));
      if (fault !== undefined) faults[part] = fault;
    }
  }
  const date = new Date(began).toISOString();
  const judged = makeCheckReport({
    ...{ head: { version, date, commit: null, lock: null, command: story.name || 'story', seed }, reports, faults },
    ...{ gates: { ...settings, allowed: options.allow ?? [], baseline: undefined }, asked: parts, again: undefined },
    ...{ seconds: (clock.real() - began) / 1000, isNarrowed, hasAssert: check !== undefined, hasApp: false },
  });
  const { report } = judged;
  if (report.error) throw new RunFault(report.error.message, report.error.exit_code);
  if (report.exit !== 0) throw new CheckFindings(printText(printableCheck(judged)), report);
  return report;
}

function defined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** What was found is a report too. */
async function reportOf<Report>(made: Promise<Report>): Promise<Report> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof ReportError) return error.report as Report;
    throw error;
  }
}

/** Of one part there is nothing else to report. */
function faultOf(error: unknown, parts: readonly PartName[]): string {
  if (!(error instanceof RunFault) || parts.length === 1) throw error;
  return error.message;
}
