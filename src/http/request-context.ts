import type { ServerResponse } from 'node:http';
import type { Caller } from '../accounts/account-store.ts';
import type { Asked } from '../fixtures/subject.ts';
import type { ScriptedAnswer } from '../generation/order.ts';
import type { PromptTurn } from '../journal/redaction.ts';
import type { Entry } from '../ledger/ledger.ts';

/** What is noted of a call as it happens, beside request and answer: values that whoever notes them holds anyway. */
export interface CallFacts {
  operation?: string;
  /** What it came to, net; only once it is answered so. */
  credits?: number;
  /** Where a run is recorded: what it asked of an engine, and what that said. */
  asked?: Asked;
  made?: ScriptedAnswer;
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
  /** The error that it was answered with; `left` is what there was to pay with, where that was too little. */
  error?: { code: string; message: string; left?: number | undefined };
  /** Of an upload: how large its file is. */
  bytes?: number;
  /** The same for uploads of the same file with the same fields, however the form is written. */
  form?: string;
  /** It was answered with a stream that began. */
  streamed?: true;
  /** The jobs that its answer shows, as they stood. */
  shown?: readonly { id: string; status: string }[];
}

/** What is known of a request from its first byte on; the journal reads it when the answer is out. */
export class RequestContext {
  readonly requestId: string;
  /** Milliseconds: the emulator's time, and the machine's for the duration. */
  readonly received: number;
  readonly began: number;
  readonly facts: CallFacts = {};
  /** Which volume of the journal it belongs to: a reset begins another. */
  volume: number;
  baseUrl = '';
  /** The dashboard reads it for itself: it is not put on record. */
  isPageRead = false;
  caller: Caller | undefined;
  /** The JSON body as it came. */
  body: Buffer | undefined;
  answer: string | undefined;
  /** Its operation is being carried out, whether or not anybody waits for the answer; `whenDone` is called after that. */
  isAtWork = false;
  whenDone: (() => void) | undefined;
  /** Gives up the memory of a large body, once the journal has taken from it what it keeps. */
  giveBack: (() => void) | undefined;
  /** Headers of the answer, but for what is set on the response itself: names and values in turn. */
  readonly headers: string[] = [];

  constructor(requestId: string, times: { received: number; began: number; volume: number }) {
    this.requestId = requestId;
    this.received = times.received;
    this.began = times.began;
    this.volume = times.volume;
  }

  /** A header of the answer; the last value counts. */
  setHeader(name: string, value: string): void {
    const place = this.#placeOf(name);
    if (place === -1) this.headers.push(name, value);
    else this.headers[place + 1] = value;
  }

  header(name: string): string | undefined {
    const place = this.#placeOf(name);
    return place === -1 ? undefined : this.headers[place + 1];
  }

  /** There are a handful at most. */
  #placeOf(name: string): number {
    for (let place = 0; place < this.headers.length; place += 2) if (this.headers[place] === name) return place;
    return -1;
  }
}

const STAMP = Symbol('stamp');

type Stamped = ServerResponse & { [STAMP]?: RequestContext };

export function attachRequestContext(response: ServerResponse, requestContext: RequestContext): void {
  (response as Stamped)[STAMP] = requestContext;
}

export function requestContextOf(response: ServerResponse): RequestContext {
  const requestContext = (response as Stamped)[STAMP];
  if (!requestContext) throw new Error('the request was not stamped when it came in');
  return requestContext;
}
