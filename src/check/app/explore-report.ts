import type { ExpectedSuccess } from './expected-success.ts';
import type { Finding, FindingBook, Unstable } from './finding-book.ts';
import { hashOf } from './search-order.ts';
import { type Again, regressionTest, replayLine } from './token.ts';

/** How far a search is while it goes on. */
export interface SearchProgress {
  run: number;
  total: number;
  findings: number;
  elapsedMs: number;
}

/** What a search has come to, at its end or where something has ended it. */
export interface SearchResult {
  /** How long the plain runs took, in milliseconds: nothing else is tried before. */
  preparedMs: number;
  plain: { ms: number; steps: string[] };
  schedulesRun: number;
  schedulesLeft: number;
  schedulesHash: string;
  schedulesFollowed: number;
  findings: FindingBook['findings'];
  unstable: FindingBook['unstable'];
  unconfirmed: FindingBook['unconfirmed'];
  byDeviation: Record<string, { run: number; failed: number }>;
}

/** The result of a search that has not started. */
export const NOTHING_RUN: SearchResult = {
  preparedMs: 0,
  plain: { ms: 0, steps: [] },
  schedulesRun: 0,
  schedulesLeft: 0,
  schedulesHash: hashOf([]),
  schedulesFollowed: 0,
  findings: [],
  unstable: [],
  unconfirmed: [],
  byDeviation: {},
};

/** The report of one search as JSON has it. */
export interface ExploreReport {
  version: string;
  command: string;
  seed: number;
  plain: { ms: number; steps: string[] };
  bound: number;
  schedules_run: number;
  /** 0: nothing was left to be tried. */
  schedules_left: number;
  schedules_hash: string;
  schedules_followed: number;
  seconds: number;
  findings: ReportedFinding[];
  unstable: (ReportedFinding & { failed: number; differed: string })[];
  /** What failed once, and there was no time to run it again: no findings. */
  unconfirmed: ReportedFinding[];
  by_deviation: Record<string, { run: number; failed: number }>;
  /** Of `check` alone. */
  planned_by_deviation?: Record<string, number>;
  expects_success?: readonly ExpectedSuccess[];
  /** Why it says nothing of the story, or not all: a refusal (2), too few schedules (3), an inner fault (70). */
  error?: ReportedError;
}

/** What ended a search but its budget. */
interface ReportedError {
  exit_code: number;
  message: string;
}

/** A finding, with a `test` for Vitest that fails until the story copes with it, and the line that shows it `again`. */
export type ReportedFinding = Omit<Finding, 'trail' | 'pairs' | 'drawing' | 'differences' | 'remedy'> & {
  test: string;
  again: string;
};

export interface ReportParts {
  version: string;
  command: string;
  seed: number;
  bound: number;
  seconds: number;
  /** None where the story is a function. */
  again?: Again;
}

export function makeReport(parts: ReportParts, result: SearchResult, error?: ReportedError): ExploreReport {
  const { version, command, seed, bound, seconds, again } = parts;
  return {
    version,
    command,
    seed,
    plain: result.plain,
    bound,
    schedules_run: result.schedulesRun,
    schedules_left: result.schedulesLeft,
    schedules_hash: result.schedulesHash,
    schedules_followed: result.schedulesFollowed,
    seconds,
    findings: result.findings.map((each) => reported(each, again)),
    unstable: result.unstable.map((each: Unstable) => ({
      ...reported(each, again),
      failed: each.failed,
      differed: each.differed,
    })),
    unconfirmed: result.unconfirmed.map((each) => reported(each, again)),
    by_deviation: result.byDeviation,
    ...(error ? { error } : {}),
  };
}

function reported(finding: Finding, again?: Again): ReportedFinding {
  const { token, schedule, kind, code, message, seen, output, tests, site, codes } = finding;
  const test = regressionTest([finding], again);
  const named = code === undefined ? {} : { code };
  return {
    token,
    schedule,
    kind,
    ...named,
    message,
    seen,
    output,
    test,
    ...(again?.isCheck && { tests, site, codes }),
    again: replayLine(token, again),
  };
}
