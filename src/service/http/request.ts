import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ChoiceId, overtaken } from '../../base/errors.ts';
import type { Caller } from '../../engine/accounts/account-store.ts';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import type { PayingCall, Scripted } from '../../engine/generation/order.ts';
import type { PromptTurn } from '../../engine/journal/redaction.ts';
import type { AlteredAnswer } from '../../engine/journal/request-schemas.ts';
import type { Entry } from '../../engine/ledger/ledger.ts';
import type { RequestViolations } from '../../engine/violations.ts';
import type { Context } from './context.ts';
import { FieldList } from './field-list.ts';
import type { BarrierHolder } from './state-barrier.ts';
import type { Upload } from './upload.ts';

/** What is known of a request from its first byte on; the journal reads it when the connection is done with it. */
export class RequestContext {
  readonly requestId: string;
  /** Milliseconds: the emulator's time, and the machine's for the duration. */
  readonly received: number;
  readonly began: number;
  readonly facts: CallFacts = {};
  /** Which generation of the journal it belongs to: a reset begins another. */
  generation: number;
  baseUrl = '';
  /** A read by the dashboard itself: it is not recorded. */
  isPageRead = false;
  caller: Caller | undefined;
  body: Buffer | undefined;
  answer: string | undefined;
  /** Set if a violation may change it. */
  violations: RequestViolations | undefined;
  altered: AlteredAnswer | undefined;
  /** Its operation is running, whether or not the client waits for the answer; `whenDone` is called after that. */
  isAtWork = false;
  whenDone: (() => void) | undefined;
  /** Headers of the answer, but for what is set on the response itself: names and values in turn. */
  readonly headers: string[] = [];

  constructor(requestId: string, times: { received: number; began: number; generation: number }) {
    this.requestId = requestId;
    this.received = times.received;
    this.began = times.began;
    this.generation = times.generation;
  }

  setHeader(name: string, value: string): void {
    const at = this.#indexOf(name);
    if (at === -1) this.headers.push(name, value);
    else this.headers[at + 1] = value;
  }

  header(name: string): string | undefined {
    const at = this.#indexOf(name);
    return at === -1 ? undefined : this.headers[at + 1];
  }

  /** There are a handful at most. */
  #indexOf(name: string): number {
    for (let at = 0; at < this.headers.length; at += 2) if (this.headers[at] === name) return at;
    return -1;
  }
}

const CONTEXT = Symbol('request context');

type WithContext = ServerResponse & { [CONTEXT]?: RequestContext };

export function attachRequestContext(response: ServerResponse, requestContext: RequestContext): void {
  (response as WithContext)[CONTEXT] = requestContext;
}

export function requestContextOf(response: ServerResponse): RequestContext {
  const requestContext = (response as WithContext)[CONTEXT];
  if (!requestContext) throw new Error('the response has no request context');
  return requestContext;
}

/** Aborts when the client hangs up before its answer is out. */
export function watchGone(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new Error('the client has hung up'));
  };
  if (response.destroyed) end();
  response.once('close', end);
  return controller;
}

/** A request with the parts of its target, as Express reads them. */
export interface ServiceRequest extends IncomingMessage {
  method: string;
  url: string;
  /** The target as it came. */
  readonly originalUrl: string;
  /** Without the query, as it came: neither decoded nor made shorter. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The values of the parameters of the path, decoded. */
  params: Readonly<Record<string, unknown>>;
  get(name: string): string | undefined;
}

export interface CallInput {
  query: unknown;
  body: unknown;
  file: Upload | undefined;
}

type CalledRequest = IncomingMessage & Pick<ServiceRequest, 'params' | 'get'>;

export class Call<Query, Body> implements BarrierHolder, PayingCall {
  readonly query: Query;
  readonly body: Body;
  readonly file: Upload | undefined;
  readonly context: Context;
  readonly facts: CallFacts;
  appliedFault: AppliedFault | undefined;
  scripted: Scripted | undefined;
  readonly #request: CalledRequest;
  readonly #response: ServerResponse;
  readonly #requestContext: RequestContext;
  #warnings: FieldList | undefined;
  #dropped: FieldList | undefined;
  #gone: AbortController | undefined;
  #overtaken = false;

  constructor(input: CallInput, context: Context, request: CalledRequest, response: ServerResponse) {
    this.query = input.query as Query;
    this.body = input.body as Body;
    this.file = input.file;
    this.context = context;
    this.#request = request;
    this.#response = response;
    this.#requestContext = requestContextOf(response);
    this.facts = this.#requestContext.facts;
  }

  /** Scheme, host and port under which the caller reached the emulator: URLs in the answer are built on it. */
  get baseUrl(): string {
    return this.#requestContext.baseUrl;
  }

  get requestId(): string {
    return this.#requestContext.requestId;
  }

  get isPageRead(): boolean {
    return this.#requestContext.isPageRead;
  }

  get caller(): Caller {
    const { caller } = this.#requestContext;
    if (!caller) throw new Error('a public operation has no caller');
    return caller;
  }

  get callerId(): string | undefined {
    return this.#requestContext.caller?.accountId;
  }

  param(name: string): string {
    return String(this.#request.params[name] ?? '');
  }

  requestHeader(name: string): string | undefined {
    return this.#request.get(name);
  }

  /** The body of an operation that reads it by itself; it can still answer when it stops reading early. */
  get content(): AsyncIterable<Buffer> {
    return this.#request.iterator({ destroyOnReturn: false });
  }

  /** Aborts when the client hangs up, and when a reset or a restore overtakes the call. */
  get gone(): AbortSignal {
    this.#gone ??= watchGone(this.#response);
    if (this.#overtaken) this.#gone.abort(overtaken());
    return this.#gone.signal;
  }

  /** A call that waits is answered with the reason; an answer that is already on its way is cut. */
  overtake(): void {
    this.#overtaken = true;
    this.#gone?.abort(overtaken());
    if (this.#response.headersSent) this.cut();
  }

  cut(): void {
    this.#response.destroy();
  }

  /** Names a field that was ignored, with the reason where it is not simply unknown. */
  warn(field: string): void {
    this.warnAll([field]);
  }

  warnAll(fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.#warnings ??= new FieldList();
    this.header('svc-emulator-warnings', this.#warnings.add(fields).text);
  }

  /** Names a field that the engine does not support and that was left out. */
  drop(field: string): void {
    this.#dropped ??= new FieldList();
    this.header('svc-emulator-dropped', this.#dropped.add([field]).text);
  }

  onCharged(charges: readonly Entry[]): void {
    this.facts.charges = charges;
  }

  onPaid(credits: number): void {
    this.facts.credits = credits;
  }

  get violations(): RequestViolations | undefined {
    return this.#requestContext.violations;
  }

  streamed(events: Iterable<string>): Iterable<string> {
    return this.#requestContext.violations?.stream(events) ?? events;
  }

  header(name: string, value: string | number): void {
    this.#requestContext.setHeader(name, String(value));
  }
}

/** What a call notes as it runs, for the journal: references to values that exist anyway. */
interface CallFacts {
  operation?: string;
  credits?: number;
  charges?: readonly Entry[];
  runId?: string;
  /** The account of a request without a key: of a call of the control surface, the one that its body names. */
  accountId?: string;
  /** The id of the record that a control operation returns. */
  ref?: string;
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
  bytes?: number;
  /** The same for uploads of the same file with the same fields, however the form is written. */
  form?: string;
  streamed?: true;
  shown?: readonly { id: string; status: string }[];
}
