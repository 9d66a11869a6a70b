import type { ServerResponse } from 'node:http';
import type { Caller } from '../accounts/account-store.ts';
import { EmulatorError } from '../errors.ts';
import { authenticate, requirePermission } from './authentication.ts';
import { BodyBufferPool } from './body-buffer-pool.ts';
import { Call } from './call.ts';
import type { Context } from './context.ts';
import { withReason } from './field-list.ts';
import type { Operation } from './operation.ts';
import { type Input, OperationReader, type Taking } from './operation-reader.ts';
import { PathTable } from './path-table.ts';
import { type RequestContext, requestContextOf } from './request-context.ts';
import { answerScripted } from './scripted-call.ts';
import { send } from './send.ts';
import type { ServiceRequest } from './service-request.ts';
import { OUTSIDE } from './state-barrier.ts';
import { giveStrikeBack, spoilt, strikeCall } from './strike-call.ts';
import { DROPPED } from './strike-request.ts';
import { struckAnswer } from './struck-answer.ts';

/** Carries out what a request asks of an operation, and answers it, be it with an error. */
type Handler = (request: ServiceRequest, response: ServerResponse) => Promise<void>;

/** What stands at one path: an operation for each of its methods. */
interface Place {
  path: string;
  methods: string[];
  handlers: Map<string, Handler>;
}

/** All operations by path and method. Whatever they are, a request comes to them without passing the framework's layers. */
export class Operations {
  readonly #table = new PathTable<Place>();
  readonly #places = new Map<string, Place>();
  readonly #context: Context;
  readonly #fail: Fail;
  readonly #taking: Taking;

  constructor(operations: readonly Operation[], context: Context, fail: Fail) {
    const { config, files, clock } = context;
    this.#context = context;
    this.#fail = fail;
    this.#taking = { config, files, room: new BodyBufferPool(clock) };
    this.add(operations);
  }

  get paths(): readonly string[] {
    return [...this.#places.keys()];
  }

  /** More of them, at paths of their own. */
  add(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const { path, method } = operation;
      const place = this.#places.get(path) ?? this.#newPlace(path);
      place.methods.push(method);
      const reader = new OperationReader(operation, this.#taking);
      place.handlers.set(method, handler(operation, { context: this.#context, fail: this.#fail, reader }));
    }
  }

  /**
   * What carries out what a request asks for; undefined where its path is no operation's. Throws `method_not_allowed`,
   * and a `URIError` for a path that cannot be read.
   */
  handlerOf(request: ServiceRequest): Handler | undefined {
    const found = this.#table.find(request.path);
    if (!found) return undefined;
    request.params = found.params;
    const { path, methods, handlers } = found.place;
    const { method } = request;
    const handle = handlers.get(method) ?? (method === 'HEAD' ? handlers.get('GET') : undefined);
    if (!handle) throw wrongMethod(method, path, methods);
    return handle;
  }

  #newPlace(path: string): Place {
    const place: Place = { path, methods: [], handlers: new Map() };
    this.#places.set(path, place);
    this.#table.add(path, place);
    return place;
  }
}

interface Exchange {
  request: ServiceRequest;
  response: ServerResponse;
}

/** Answers a request with an error. */
type Fail = (request: ServiceRequest, response: ServerResponse, error: unknown) => void;

interface OperationParts {
  context: Context;
  reader: OperationReader;
  fail: Fail;
}

/** Whoever hangs up on the way may still be charged: the journal waits for what a request comes to. */
function handler(operation: Operation, parts: OperationParts): Handler {
  const perform = pipeline(operation, parts);
  return async (request, response) => {
    const requestContext = requestContextOf(response);
    requestContext.isAtWork = true;
    try {
      await perform(request, response, requestContext);
    } catch (error) {
      parts.fail(request, response, error);
    } finally {
      requestContext.isAtWork = false;
      const { whenDone } = requestContext;
      // What waits to be recorded must not keep request and answer with it.
      requestContext.whenDone = undefined;
      whenDone?.();
    }
  };
}

/** The road of a request: gate, key, rate limit, body, validation, role, faults, work, answer. */
function pipeline(operation: Operation, { context, reader }: OperationParts) {
  const { barrier, faults, fixtures } = context;
  const canStrike = operation.access !== 'local';
  const isArmed = () => canStrike && faults.isArmed;
  const isGated = !operation.ungated;
  const status = operation.status ?? 200;
  return async (request: ServiceRequest, response: ServerResponse, requestContext: RequestContext): Promise<void> => {
    const isHeld = isGated && barrier.isClosed;
    const epoch = isHeld ? await passage(context, requestContext) : barrier.epoch;
    const caller = admit(operation, context, request);
    requestContext.caller = caller;
    if (caller) context.rateLimit?.count(caller.keyId, response);
    const input = await reader.read(request, response);
    const call = new Call(input, context, request, response);
    let place = OUTSIDE;
    try {
      if (isGated) place = barrier.enter(call, epoch);
      begin(call, operation, input, context);
      const answer = isArmed()
        ? await underFaults(operation, call, { request, response, context })
        : await answerTo(operation, call, fixtures);
      if (answer === DROPPED) return;
      await send(response, spoilt(faults, call, answer), status);
      if (isArmed()) faults.holds.timers.answered(call.callerId ?? '');
    } finally {
      barrier.leave(place);
      passOver(request, operation);
      await input.file?.discard();
    }
  };
}

/** The same where a fault rule or a hold may have a say in it; `DROPPED` where nobody is left to answer. */
async function underFaults(
  operation: Operation,
  call: Call<unknown, unknown>,
  { context, ...at }: Exchange & Pick<OperationParts, 'context'>,
): Promise<unknown> {
  const { faults, fixtures } = context;
  if (!(await strikeCall(context, call, operation, at))) return DROPPED;
  const perform = () => answerTo(operation, call, fixtures);
  if (!call.appliedFault) return perform();
  try {
    return await struckAnswer(call, { operation, ...at, context, perform });
  } finally {
    await giveStrikeBack(faults, call.appliedFault);
  }
}

/** Where scripted answers are in force one may stand in for the work. */
function answerTo(operation: Operation, call: Call<unknown, unknown>, fixtures: Context['fixtures']): unknown {
  const isScriptable = operation.asked !== undefined && fixtures.inForce;
  return isScriptable ? answerScripted({ fixtures }, operation, call) : operation.handle(call);
}

/** Waits for the gate to open. What a reset forgets ends with the requests before it. */
async function passage({ barrier, journal }: Context, requestContext: RequestContext): Promise<number> {
  const epoch = await barrier.passage();
  requestContext.volume = journal.volume;
  return epoch;
}

/** What is left of a body that a handler did not read to its end; the connection goes on. */
function passOver(request: ServiceRequest, { stream }: Operation): void {
  if (stream) request.resume();
}

/** The service has no such thing: what is sent twice is charged twice. */
const KEY_OF_RETRY = 'idempotency-key';

/** Past the check of the role. */
function begin(call: Call<unknown, unknown>, operation: Operation, { unknown }: Input, { recording }: Context): void {
  if (operation.access === 'webhooks:manage') requirePermission(call.caller, operation.access);
  call.facts.operation = operation.name;
  if (recording && operation.asked) call.facts.asked = operation.asked(call.body);
  call.warnAll(unknown);
  // Whoever sends it may think that a second try is free.
  if (operation.paid && call.requestHeader(KEY_OF_RETRY) !== undefined) {
    call.warn(withReason(KEY_OF_RETRY, 'unsupported'));
  }
}

function admit(operation: Operation, { accounts }: Context, request: ServiceRequest): Caller | undefined {
  if (operation.access === 'public' || operation.access === 'local') return undefined;
  return authenticate(accounts, request.headers.authorization);
}

function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
