import type { AccountRecord } from '../../../control/accounts.ts';
import type { ClockRecord } from '../../../control/clock.ts';
import type { EntryRecord } from '../../../control/ledger.ts';
import type { OperationName, WireAnswer } from '../../../control/operation-types.ts';

/** Records as the control surface answers them: each is inferred from its one schema. Stamps named `created` are unix seconds of the emulator's clock. */
export type { JobRecord as Job } from '../../../control/jobs.ts';
export type { WireAnswer as AnswerOf } from '../../../control/operation-types.ts';
export type { RequestLine, RequestRecord } from '../../../journal/journal-record.ts';
export type { LiveBatch, LiveNotice } from '../../../journal/live-batch.ts';
export type { Explanation } from '../../../orders/explain-order.ts';

/** What an operation of the control surface lists. */
export type Listed<Name extends OperationName> = WireAnswer<Name> extends { data: (infer Row)[] } ? Row : never;

export type Account = AccountRecord;
export type ClockState = ClockRecord;
export type LedgerEntry = EntryRecord;

/** A step of an explanation: its text, and the same facts as data. */
export interface ExplainedStep {
  step: string;
  text: string;
  status?: string | number;
  struck?: string | null;
  error?: unknown;
}
