import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ChoiceId, stateReplacedError } from '../../base/errors.ts';
import type { Caller } from '../../engine/accounts/key-store.ts';
import type { CompatibleChange } from '../../engine/faults/compatible-changes.ts';
import type { RequestFaults } from '../../engine/faults/request-faults.ts';
import type { PlacedOrder, RequestPayer, ScriptedAnswerWithId } from '../../engine/generation/place-order.ts';
import type { PromptTurn } from '../../engine/journal/redaction.ts';
import type { Context } from './context.ts';
import { FieldListHeaderBuilder } from './field-list.ts';
import type { AdmittedRequest } from './state-barrier.ts';
import type { Upload } from './upload.ts';

export class RequestContext {
  readonly requestId: string;
  /** `received` is in milliseconds of the emulator's clock; `began` is the machine's time, for the duration. */
  readonly received: number;
  readonly began: number;
  readonly annotations: CallAnnotations = {};
  /** The epoch of the journal in which the request is recorded; a reset or a restore begins a new one. */
  journalEpoch: number;
  baseUrl = '';
  /** True if a page of the dashboard or of the docs reads data for itself, which the journal does not record. */
  isOwnPageRead = false;
  caller: Caller | undefined;
  order: PlacedOrder | undefined;
  body: Buffer | undefined;
  answer: string | undefined;
  change: CompatibleChange | undefined;
  /** True during the operation. */
  isAtWork = false;
  /** Set by `recordRequest` if the connection closes during the operation. Called after the operation. */
  whenDone: (() => void) | undefined;
  /** Names and values of headers in turn. Some other headers are set on the response itself. */
  readonly headers: string[] = [];

  constructor(requestId: string, times: { received: number; began: number; journalEpoch: number }) {
    this.requestId = requestId;
    this.received = times.received;
    this.began = times.began;
    this.journalEpoch = times.journalEpoch;
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

  #indexOf(name: string): number {
    for (let at = 0; at < this.headers.length; at += 2) if (this.headers[at] === name) return at;
    return -1;
  }
}

/** The key is a symbol, which cannot clash with a property that Express adds to the response. */
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

export function abortOnDisconnect(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new Error('the client has hung up'));
  };
  if (response.destroyed) end();
  response.once('close', end);
  return controller;
}

export interface HttpRequest extends IncomingMessage {
  method: string;
  url: string;
  readonly originalUrl: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
  get(name: string): string | undefined;
}

export interface CallInput {
  query: unknown;
  body: unknown;
  file: Upload | undefined;
}

type CalledRequest = IncomingMessage & Pick<HttpRequest, 'params' | 'get'>;

export class Call<Query, Body> implements AdmittedRequest, RequestPayer {
  readonly kind = 'request';
  readonly query: Query;
  readonly body: Body;
  readonly file: Upload | undefined;
  readonly context: Context;
  readonly annotations: CallAnnotations;
  faults: RequestFaults | undefined;
  scripted: ScriptedAnswerWithId | undefined;
  readonly #request: CalledRequest;
  readonly #response: ServerResponse;
  readonly #requestContext: RequestContext;
  #warnings: FieldListHeaderBuilder | undefined;
  #dropped: FieldListHeaderBuilder | undefined;
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
    this.annotations = this.#requestContext.annotations;
  }

  /**
   * The base of the URLs in the response: `--public-url`, or else `http://` and the Host of the request. If HTTP/1.0
   * sends no Host, the address of the connection.
   */
  get baseUrl(): string {
    return this.#requestContext.baseUrl;
  }

  get requestId(): string {
    return this.#requestContext.requestId;
  }

  get isOwnPageRead(): boolean {
    return this.#requestContext.isOwnPageRead;
  }

  get order(): PlacedOrder | undefined {
    return this.#requestContext.order;
  }

  set order(order: PlacedOrder | undefined) {
    this.#requestContext.order = order;
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

  /** The bytes of the body as they arrive. An operation that stops reading early can still respond. */
  get content(): AsyncIterable<Buffer> {
    return this.#request.iterator({ destroyOnReturn: false });
  }

  get gone(): AbortSignal {
    this.#gone ??= abortOnDisconnect(this.#response);
    if (this.#overtaken) this.#gone.abort(stateReplacedError());
    return this.#gone.signal;
  }

  /** Ends the call at a reset or a restore: a waiting call returns the reason, and a started response is cut. */
  overtake(): void {
    this.#overtaken = true;
    this.#gone?.abort(stateReplacedError());
    if (this.#response.headersSent) this.cut();
  }

  cut(): void {
    this.#response.destroy();
  }

  warn(field: string): void {
    this.warnAll([field]);
  }

  warnAll(fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.#warnings ??= new FieldListHeaderBuilder();
    this.header('svc-emulator-warnings', this.#warnings.add(fields).text);
  }

  drop(field: string): void {
    this.#dropped ??= new FieldListHeaderBuilder();
    this.header('svc-emulator-dropped', this.#dropped.add([field]).text);
  }

  header(name: string, value: string | number): void {
    this.#requestContext.setHeader(name, String(value));
  }
}

interface CallAnnotations {
  operation?: string;
  runId?: string;
  /**
   * The account of a request without a key: the owner of the flow or file, or the account in the body of a control
   * operation.
   */
  accountId?: string;
  ref?: string;
  fault?: string;
  otherFaults?: readonly string[];
  enginePrompt?: readonly PromptTurn[];
  /** `left` is the balance if it was too low, `choice` the choice that rejected the request. `asked` is set if a test caused the error. */
  error?: {
    code: string;
    message: string;
    left?: number | undefined;
    choice?: ChoiceId | undefined;
    asked?: true | undefined;
  };
  bytes?: number;
  /** Equal for uploads of the same file with the same fields in the same order. */
  form?: string;
  streamed?: true;
  /** The jobs in the response, with the status that the client saw. */
  shownJobs?: readonly { id: string; status: string }[];
}
