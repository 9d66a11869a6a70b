/** Records as the control surface answers them: each is inferred from its one schema. Stamps named `created` are unix seconds of the emulator's clock. */
export type { AccountRecord as Account } from '../../../control/account-control.ts';
export type { ClockRecord as ClockState } from '../../../control/clock-control.ts';
export type { JobRecord as Job } from '../../../control/job-control.ts';
export type { EntryRecord as LedgerEntry } from '../../../control/ledger-control.ts';
export type { Explanation } from '../../../explain/explain-request.ts';
export type { LiveBatch, LiveNotice } from '../../../journal/live-batch.ts';
export type { RequestLine, RequestRecord } from '../../../journal/request-records.ts';

/** What anything that the control surface answers has. */
export type ControlRecord = Record<string, unknown> & { id: string };

/** What stands beside the text of a step is the same as data. */
export interface ExplainedStep {
  step: string;
  text: string;
  status?: string | number;
  struck?: string | null;
  error?: unknown;
}
