import type { ServerResponse } from 'node:http';
import type { Caller } from '../accounts/account-store.ts';
import type { PromptTurn } from '../journal/redaction.ts';
import type { Entry } from '../ledger/ledger.ts';

/** What the journal keeps of a call beside request and answer. */
export interface CallFacts {
  operation?: string;
  credits?: number;
  /** What it was charged, refunded or not. */
  charges?: readonly Entry[];
  /** The run of a flow that it started. */
  runId?: string;
  /** Whom a request without a key is about. */
  accountId?: string;
  /** The fault rule that struck it. */
  fault?: string;
  /** For chat: the engine prompt as assembled. */
  enginePrompt?: readonly PromptTurn[];
}

/** What is known of a request from its first byte on; the journal reads it when the answer is out. */
export interface RequestStamp {
  requestId: string;
  baseUrl: string;
  /** Milliseconds: the emulator's time, and the machine's for the duration. */
  received: number;
  began: number;
  caller?: Caller | undefined;
  /** The JSON body as it came. */
  body?: Buffer;
  answer?: string | undefined;
  facts: CallFacts;
  /** Its operation is being carried out, whether or not anybody waits for the answer; `whenDone` is called after that. */
  isAtWork?: boolean;
  whenDone?: () => void;
  /** Gives up the memory of a large body, once the journal has taken from it what it keeps. */
  giveBack?: () => void;
  /** Which volume of the journal it belongs to: a reset begins another. */
  volume: number;
  /** Headers of the answer, but for what is set on the response itself. */
  headers: Map<string, string>;
}

const STAMP = Symbol('stamp');

type Stamped = ServerResponse & { [STAMP]?: RequestStamp };

export function stampRequest(response: ServerResponse, stamp: RequestStamp): void {
  (response as Stamped)[STAMP] = stamp;
}

export function requestStamp(response: ServerResponse): RequestStamp {
  const stamp = (response as Stamped)[STAMP];
  if (!stamp) throw new Error('the request was not stamped when it came in');
  return stamp;
}
