import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChoiceId } from '../../base/errors.ts';
import type { Caller } from '../../engine/accounts/account-store.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import type { PromptTurn } from '../../engine/journal/redaction.ts';
import type { WholeAnswer } from '../../engine/journal/request-schemas.ts';
import type { Entry } from '../../engine/ledger/ledger.ts';

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

/** What a call notes as it runs, for the journal: references to values that exist anyway. */
export interface CallFacts {
  operation?: string;
  /** What it cost, net; set with its answer. */
  credits?: number;
  /** What it was charged, refunded or not. */
  charges?: readonly Entry[];
  /** The run of a flow that it started. */
  runId?: string;
  /** The account of a request without a key: of a call of the control surface, the one that its body names. */
  accountId?: string;
  /** Of a call of the control surface: the id of the record that it answers. */
  ref?: string;
  /** The first fault rule that applied to it. */
  fault?: string;
  /** For chat: the engine prompt as assembled. */
  enginePrompt?: readonly PromptTurn[];
  /**
   * The error that it was answered with. `left` is what there was to pay with, where that was too little; `choice` that by
   * which it was refused; `asked` says that a test asked for it.
   */
  error?: {
    code: string;
    message: string;
    left?: number | undefined;
    choice?: ChoiceId | undefined;
    asked?: true | undefined;
  };
  /** Of an upload: how large its file is. */
  bytes?: number;
  /** The same for uploads of the same file with the same fields, however the form is written. */
  form?: string;
  /** It was answered with a stream that began. */
  streamed?: true;
  /** The jobs that its answer shows, with the status shown. */
  shown?: readonly { id: string; status: string }[];
}

/** An answer that is about to leave. */
export interface Leaving {
  status: number;
  contentType: string;
  text?: string;
  bytes?: Buffer;
}

/** What is sent in place of the true answer. */
export interface OtherReply {
  status: number;
  headers: Readonly<WholeAnswer['headers']>;
  payload: string | Buffer;
  isChunked: boolean;
}

/** Who is let in although the service refuses it. */
export interface Admission {
  /** The caller who is let in instead of an error; undefined where the error is answered. */
  letIn(error: unknown): Caller | undefined;
  /** Whether the caller may do what the error refuses. */
  permits(error: unknown): boolean;
}

/** How the answer to one request is changed. */
export interface AnswerChange extends Admission {
  /** Answers what is sent in place of a true answer, and records both; undefined where it stays. */
  answered(leaving: Leaving): OtherReply | undefined;
  /** The same for the events of a stream, each a JSON text. */
  streamed(events: Iterable<string>): Iterable<string>;
  /** The events are to be cut at other bytes than where they end. */
  readonly cutsStream: boolean;
}
