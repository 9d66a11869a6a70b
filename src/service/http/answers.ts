import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';

/** What answers: an operation, or the CDN for the account of a file. */
export interface Answering {
  method: string;
  path: string;
  paid?: PaidOperation | undefined;
  name?: string;
  accountId?: string;
}

/** A request as it is when its answer begins. */
export type AnsweredRequest = IncomingMessage & {
  method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
};

/** How results of operations become answers. */
export interface Answers {
  /** Whether any answer may be another than its result: without that, a request pays for this check alone. */
  readonly isOn: boolean;
  /** Before the work of a request: sets how its answer is changed. Returns false where it was answered instead. */
  begin(request: AnsweredRequest, response: ServerResponse, by: Answering): boolean;
}

/** Every result is answered as it is. */
export const plainAnswers: Answers = { isOn: false, begin: () => true };
