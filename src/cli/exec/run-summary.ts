import type { ErrorCode } from '../../base/errors.ts';
import { type SpendBaseline, summarizeSpend } from '../../check/spend.ts';
import type { ClientVerdict } from '../../control/verdict/judge-client.ts';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import { SERVICE_OPERATIONS } from '../../service/api/routes.ts';
import { ERROR_TABLE } from '../../service/http/error-response.ts';
import type { RunCounter } from './run-counter.ts';

export interface RunSummary extends SpendBaseline {
  /** The number of recorded requests, including those whose path lacks /v1. */
  requests: number;
  /** The number of requests that reached an operation, even if it rejected them. */
  answered: number;
  /** The error of the first request that belongs to no operation. */
  astray: string | null;
  unused_faults: readonly string[];
  findings: ClientVerdict['findings'];
  uncollected: ClientVerdict['uncollected'];
  /** A message about work that had not ended when the run was counted. Null if all work had ended. */
  unsettled: string | null;
  untouched: Record<'operations' | 'error_codes' | 'event_types' | 'job_states', string[]>;
}

/** Error codes that are not listed as unused, because client code under test need not meet them. */
const CODES_NOT_LISTED: readonly ErrorCode[] = [
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
const CODES = Object.keys(ERROR_TABLE).filter((code) => !CODES_NOT_LISTED.includes(code as ErrorCode));
const STATES = ['queued', 'processing', 'succeeded', 'failed'];

export function summarizeRun(
  tally: RunCounter,
  {
    findings,
    uncollected,
    unsettled,
    unused_faults,
  }: Pick<RunSummary, 'findings' | 'uncollected' | 'unsettled' | 'unused_faults'>,
): RunSummary {
  return {
    object: 'run_report',
    requests: tally.requests,
    answered: tally.answered,
    astray: tally.unrouted,
    ...summarizeSpend(tally.spend()),
    unused_faults,
    findings,
    uncollected,
    unsettled,
    untouched: {
      operations: missing(
        SERVICE_OPERATIONS.map(({ name }) => name),
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
