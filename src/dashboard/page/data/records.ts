import type { AccountRecord } from '../../../control/account-control.ts';
import type { ClockRecord } from '../../../control/clock-control.ts';
import type { EntryRecord } from '../../../control/ledger-control.ts';

/** Records as the control surface answers them: each is inferred from its one schema. Stamps named `created` are unix seconds of the emulator's clock. */
export type { JobRecord as Job } from '../../../control/job-control.ts';
export type { Explanation } from '../../../explain/explain-request.ts';
export type { LiveBatch, LiveNotice } from '../../../journal/live-batch.ts';
export type { RequestLine, RequestRecord } from '../../../journal/request-records.ts';

export type Account = AccountRecord;
export type ClockState = ClockRecord;
export type LedgerEntry = EntryRecord;

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
