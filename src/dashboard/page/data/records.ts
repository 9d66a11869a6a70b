import type { AccountRecord } from '../../../control/accounts.ts';
import type { ClockRecord } from '../../../control/clock.ts';
import type { EntryRecord } from '../../../control/ledger.ts';
import type { OperationName, WireAnswer } from '../../../control/operation-types.ts';
import { readJobOf } from '../../../control/orders/order-records.ts';
import type { RequestLine } from '../../../engine/journal/request-schemas.ts';

/** Records as the control surface answers them: each is inferred from its one schema. Stamps named `created` are unix seconds of the emulator's clock. */
export type { JobRecord as Job } from '../../../control/jobs.ts';
export type { WireAnswer as AnswerOf } from '../../../control/operation-types.ts';
export type { LiveBatch, LiveNotice } from '../../../engine/journal/notices.ts';
export type { RequestRecord } from '../../../engine/journal/request-schemas.ts';
export type { RequestLine };

export type Listed<Name extends OperationName> = WireAnswer<Name> extends { data: (infer Row)[] } ? Row : never;

export type Account = AccountRecord;
export type ClockState = ClockRecord;
export type LedgerEntry = EntryRecord;

/** A request as a row, with those that are folded into it. */
export interface FoldedRequest {
  request: RequestLine;
  times: number;
  polls: number;
}

/** Newest first: reads of a job stand with its order, other reads of one path are one row. */
export function foldRequests(rows: readonly RequestLine[]): readonly FoldedRequest[] {
  const ordered = new Map(rows.flatMap(({ id, job_ids }) => job_ids.map((job) => [job, id] as const)));
  const polls = new Map<string, number>();
  const folded: FoldedRequest[] = [];
  for (const request of rows) {
    const order = ordered.get(readJobOf(request) ?? '');
    if (order !== undefined) {
      polls.set(order, (polls.get(order) ?? 0) + 1);
      continue;
    }
    const last = folded.at(-1);
    if (last && isSame(last.request, request)) last.times += 1;
    else folded.push({ request, times: 1, polls: polls.get(request.id) ?? 0 });
  }
  return folded;
}

function isSame(a: RequestLine, b: RequestLine): boolean {
  return a.method === 'GET' && (['method', 'path', 'account_id', 'status'] as const).every((of) => a[of] === b[of]);
}
