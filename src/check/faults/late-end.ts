import type { RequestRow, RunRecord, VerdictFinding } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import type { ScenarioFaults } from './fault-at.ts';

export const UNCOLLECTED_JOB_CODE = 'uncollected_job';

export function hasLateEndFault(scenario: ScenarioFaults): boolean {
  return scenario.some(({ fault }) => fault === 'late_end');
}

/** Matches what runners and fixtures print if a test waits too long. Its client may have read the job until this timeout. */
export const TIMEOUT_MESSAGE_PATTERN =
  /test timed out|test timeout of|timed out in \d+ ?ms|exceeded timeout|timeout \d+ ?ms exceeded|timeout of \d+ms exceeded\. For async|timeout \(?>|did not succeed in time|timed out in wait(?:For|Until)|did not become true/i;

const STOPPED_MS = 1000;

/**
 * True if the client stopped reading the job while its test was running, or if the test failed without a timeout. A
 * client whose test ends too early might have continued to read.
 */
export function hasClientStoppedReadingJob({ account_id, request_ids: [read] }: VerdictFinding, run: Run): boolean {
  const test = run.record.tests?.find(({ account_ids: ids }) => ids.includes(account_id));
  const times = timesOfReads(run.record, read);
  const quiet = (test?.ended ? Date.parse(test.ended) : run.ended) - (times.at(-1) ?? 0);
  const longest = Math.max(0, ...times.map((time, at) => time - (times[at - 1] ?? time)));
  if (quiet >= Math.max(STOPPED_MS, 2 * longest)) return true;
  const hasFailed = test ? test.outcome === 'failed' : run.failure?.kind === 'exit';
  return hasFailed && !TIMEOUT_MESSAGE_PATTERN.test(test?.error ?? run.output);
}

function timesOfReads({ requests }: RunRecord, read: string | undefined): number[] {
  const path = requests.find(({ id }) => id === read)?.path;
  const endOf = ({ received_at: at, duration_ms: ms }: RequestRow) => Date.parse(at) + ms;
  const reads = requests.filter((request) => request.path === path);
  return reads.map(endOf).toSorted((a, b) => a - b);
}
