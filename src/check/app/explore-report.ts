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

/** What was tried, as the report has it. */
interface Tried {
  plain: { ms: number; steps: string[] };
  schedules_run: number;
  /** 0: nothing was left to be tried. */
  schedules_left: number;
  schedules_hash: string;
  schedules_followed: number;
  by_deviation: Record<string, { run: number; failed: number }>;
}

/** What a search has come to, at its end or where something has ended it. */
export type SearchResult = Tried & Pick<FindingBook, 'findings' | 'unstable' | 'unconfirmed'>;

/** The result of a search that has not started. */
export const NOTHING_RUN: SearchResult = {
  plain: { ms: 0, steps: [] },
  schedules_run: 0,
  schedules_left: 0,
  schedules_hash: hashOf([]),
  schedules_followed: 0,
  findings: [],
  unstable: [],
  unconfirmed: [],
  by_deviation: {},
};

/** The report of one search as JSON has it. */
export interface ExploreReport extends Tried, Omit<ReportParts, 'again'> {
  findings: ReportedFinding[];
  unstable: (ReportedFinding & Pick<Unstable, 'failed' | 'differed'>)[];
  /** What failed once, and there was no time to run it again: no findings. */
  unconfirmed: ReportedFinding[];
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
export type ReportedFinding = Omit<Finding, 'shown'> & { test: string; again: string };

export interface ReportParts {
  version: string;
  command: string;
  seed: number;
  bound: number;
  seconds: number;
  /** None where the story is a function. */
  again?: Again;
}

export function makeReport(
  { again, ...about }: ReportParts,
  { findings, unstable, unconfirmed, ...tried }: SearchResult,
  error?: ReportedError,
): ExploreReport {
  return {
    ...about,
    ...tried,
    findings: findings.map((each) => reported(each, again)),
    unstable: unstable.map((each) => reported(each, again)),
    unconfirmed: unconfirmed.map((each) => reported(each, again)),
    ...(error ? { error } : {}),
  };
}

function reported<Found extends Finding>(finding: Found, again?: Again) {
  const { shown: _, tests, site, ...rest } = finding;
  const ofCheck = again?.isCheck && { tests, site };
  return { ...rest, ...ofCheck, test: regressionTest([finding], again), again: replayLine(finding.token, again) };
}
