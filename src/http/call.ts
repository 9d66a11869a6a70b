import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../accounts/account-store.ts';
import { overtaken } from '../errors.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import type { Scripted } from '../generation/order.ts';
import type { CallFacts } from './call-facts.ts';
import type { Context } from './context.ts';
import { FieldList, withReason } from './field-list.ts';
import { type RequestContext, requestContextOf, type ServiceRequest, watchGone } from './request-context.ts';
import type { BarrierHolder } from './state-barrier.ts';
import type { Upload } from './upload.ts';

/** What a request brought, read and validated. */
export interface CallInput {
  query: unknown;
  body: unknown;
  file: Upload | undefined;
}

/** The part of a request that a call uses. */
export type CalledRequest = IncomingMessage & Pick<ServiceRequest, 'params' | 'get'>;

/** One request to an operation. */
export class Call<Query, Body> implements BarrierHolder {
  readonly query: Query;
  readonly body: Body;
  readonly file: Upload | undefined;
  readonly context: Context;
  readonly facts: CallFacts;
  /** What fault rules do to the work of this request. */
  appliedFault: AppliedFault | undefined;
  /** The scripted answer that replaces its work. */
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

  /** Whether the dashboard reads it for itself. */
  get isPageRead(): boolean {
    return this.#requestContext.isPageRead;
  }

  /** The account and role of the key. */
  get caller(): Caller {
    const { caller } = this.#requestContext;
    if (!caller) throw new Error('a public operation has no caller');
    return caller;
  }

  /** The account of the key, if there is a key. */
  get callerId(): string | undefined {
    return this.#requestContext.caller?.accountId;
  }

  /** A parameter of the path. */
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

  /** What of its answer is told otherwise; undefined where nothing is. */
  get lying(): RequestContext['lying'] {
    return this.#requestContext.lying;
  }

  /** The events of a stream, as lies change them. */
  told(events: Iterable<string>): Iterable<string> {
    return this.#requestContext.lying?.tellStream(events) ?? events;
  }

  header(name: string, value: string | number): void {
    this.#requestContext.setHeader(name, String(value));
  }
}

/** Warns of directives that have no effect on work that is not moderated and has one result. */
export function warnOfUnused(call: Call<unknown, unknown>, field: string, { block, fail }: Directives): void {
  if (block) call.warn(withReason(field, 'directive=block'));
  warnOfTake(call, field, fail);
}

/** Warns of a `[[bytes:…]]` where the result has no size to choose. */
export function warnOfBytes(call: Call<unknown, unknown>, field: string, { bytes }: Directives): void {
  if (bytes !== undefined) call.warn(withReason(field, 'directive=bytes'));
}

/** Warns of a `[[fail:take=2]]` for a take that does not exist. */
export function warnOfTake(call: Call<unknown, unknown>, field: string, fail: Directives['fail'], takes = 0): void {
  const take = fail?.take ?? 0;
  if (take > takes) call.warn(withReason(field, `directive=fail:take=${take}`));
}
