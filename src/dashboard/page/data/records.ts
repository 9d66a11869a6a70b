import type { OperationName, WireAnswer } from '../../../control/call-operation.ts';

/** Inferred from the schemas. `created` is in unix seconds of the emulator's clock. */
export type { AccountRecord as Account } from '../../../control/accounts.ts';
export type { WireAnswer as AnswerOf } from '../../../control/call-operation.ts';
export type { ClockRecord as ClockState } from '../../../control/clock.ts';
export type { JobRecord as Job } from '../../../control/jobs.ts';
export type { EntryRecord as LedgerEntry } from '../../../control/ledger.ts';
export type { LiveBatch, LiveNotice } from '../../../engine/journal/live-feed.ts';
export type { RequestLine, RequestRecord } from '../../../engine/journal/request-schemas.ts';

export type Listed<Name extends OperationName> = WireAnswer<Name> extends { data: (infer Row)[] } ? Row : never;
