import type { ErrorCode } from '../../base/errors.ts';
import type { Baseline } from '../../check/spend/spend-baseline.ts';
import { spendOf } from '../../check/spend/spend-tally.ts';
import type { ClientVerdict } from '../../control/verdict/judge-client.ts';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { ERROR_TABLE } from '../../service/http/error-printer.ts';
import type { RunTally } from './run-tally.ts';

/** What a run cost, and what it left out. */
export interface RunReport extends Baseline {
  /** Of the service, whatever became of them; those that lack /v1 too. */
  requests: number;
  /** Those of them whose path and method belong to an operation. */
  answered: number;
  /** What the first of the others was answered, with the nearest path that there is. */
  astray: string | null;
  unused_faults: readonly string[];
  /** What its clients did wrong. */
  findings: ClientVerdict['findings'];
  /** What was still under way when the run was summed up; null when all had come to rest. */
  unsettled: string | null;
  /** What there is and the run has not seen. */
  untouched: Record<'operations' | 'error_codes' | 'event_types' | 'job_states', string[]>;
}

/** Errors that belong to the emulator's own doors, to files and disks: no client under test is to meet them. */
const ASIDE: readonly ErrorCode[] = [
  'forbidden_host',
  'forbidden_origin',
  'invalid_signature',
  'url_expired',
  'range_not_satisfiable',
  'not_waiting',
  'conflict',
  'timeout',
  'no_fixture',
  'internal_error',
  'storage_full',
];
const CODES = Object.keys(ERROR_TABLE).filter((code) => !ASIDE.includes(code as ErrorCode));
const STATES = ['queued', 'processing', 'succeeded', 'failed'];

/** Sums up a run; everything is sorted by name, so that two reports can be compared. Which faults never applied is known at its end. */
export function makeRunReport(
  tally: RunTally,
  { findings, unsettled }: Pick<RunReport, 'findings' | 'unsettled'>,
): RunReport {
  return {
    object: 'run_report',
    requests: tally.requests,
    answered: tally.answered,
    astray: tally.unrouted,
    ...spendOf(tally.spend()),
    unused_faults: [],
    findings,
    unsettled,
    untouched: {
      operations: missing(
        SERVICE.map(({ name }) => name),
        tally.operations,
      ),
      error_codes: missing(CODES, tally.errorCodes),
      event_types: missing(EVENT_TYPES, tally.eventTypes),
      job_states: missing(STATES, tally.jobStates),
    },
  };
}

function missing(known: readonly string[], seen: ReadonlySet<string>): string[] {
  return known.filter((name) => !seen.has(name));
}
