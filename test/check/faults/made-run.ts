import type { RequestRow, RunRecord } from '../../../src/check/runner/run-record.ts';
import type { Run } from '../../../src/check/runner/runner.ts';

/** The failure of a command that exits with an error. */
export const BROKE = { kind: 'exit', message: 'It broke.' } as const;

type Made = Partial<Omit<Run, 'record'>> & { record?: Partial<RunRecord> };

/** A successful run of 5 s with the given records. */
export function madeRun({ record, ...more }: Made = {}): Run {
  return {
    record: { requests: [], jobs: [], deliveries: [], ledger: [], findings: [], ...record },
    ...{ spent: [], isReset: false, unmet: [], failure: undefined, output: '', check: undefined, rested: true },
    ...{ made: 0, began: 0, ended: 5000, ms: 5000, ...more },
  };
}

/** A successful chat request, with the given fields replaced. */
export function madeRequest(more: Partial<RequestRow> = {}): RequestRow {
  return {
    ...{ id: 'req_1', account_id: 'acct_1', method: 'POST', path: '/v1/chat/completions', status: 200 },
    ...{
      received_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 1,
      charges: [],
      job_ids: [],
      request: '{}',
      answer: '{}',
    },
    ...more,
  };
}
