import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '../accounts/account-store.ts';
import { EmulatorError } from '../errors.ts';
import { authenticate, requirePermission } from './authentication.ts';
import { BodyRoom } from './body-room.ts';
import { Call, type CallInput } from './call.ts';
import { withReason } from './field-list.ts';
import { answerError } from './front.ts';
import { OUTSIDE } from './gate.ts';
import { InputReader, refuseUnknown } from './input.ts';
import { LARGE, parseJson, parseLarge, readBody, readBytes, requireType } from './json-body.ts';
import type { Parsing } from './large-json.ts';
import type { Operation } from './operation.ts';
import { PathTable } from './path-table.ts';
import { type RequestStamp, requestStamp } from './request-stamp.ts';
import { answerScripted } from './scripted-call.ts';
import { send } from './send.ts';
import { giveStrikeBack, spoilt, strikeCall } from './strike-call.ts';
import { DROPPED } from './strike-request.ts';
import { struckAnswer } from './struck-answer.ts';
import type { Subsystems } from './subsystems.ts';
import { readUpload } from './upload.ts';

/** Carries out what a request asks of an operation, and answers it, be it with an error. */
type Handler = (request: Request, response: Response) => Promise<void>;

/** What stands at one path: an operation for each of its methods. */
interface Place {
  path: string;
  methods: string[];
  handlers: Map<string, Handler>;
}

/** All operations by path and method. Whatever they are, a request comes to them without passing the framework's layers. */
export class Operations {
  readonly #table = new PathTable<Place>();
  readonly paths: readonly string[];

  constructor(operations: readonly Operation[], emulator: Subsystems) {
    const room = new BodyRoom(emulator.clock);
    const places = new Map<string, Place>();
    for (const operation of operations) {
      const { path, method } = operation;
      const place: Place = places.get(path) ?? { path, methods: [], handlers: new Map() };
      places.set(path, place);
      place.methods.push(method);
      place.handlers.set(
        method,
        handler(operation, { emulator, reader: new OperationReader(operation, emulator, room) }),
      );
    }
    for (const [path, place] of places) this.#table.add(path, place);
    this.paths = [...places.keys()];
  }

  /**
   * What carries out what a request asks for; undefined where its path is no operation's. Throws `method_not_allowed`,
   * and a `URIError` for a path that cannot be read.
   */
  handlerOf(request: Request): Handler | undefined {
    const found = this.#table.find(request.path);
    if (!found) return undefined;
    request.params = found.params as Record<string, string>;
    const { path, methods, handlers } = found.place;
    const { method } = request;
    const handle = handlers.get(method) ?? (method === 'HEAD' ? handlers.get('GET') : undefined);
    if (!handle) throw wrongMethod(method, path, methods);
    return handle;
  }
}

interface Exchange {
  request: Request;
  response: Response;
}

interface OperationParts {
  emulator: Subsystems;
  reader: OperationReader;
}

/** Whoever hangs up on the way may still be charged: the journal waits for what a request comes to. */
function handler(operation: Operation, parts: OperationParts): Handler {
  const carryOut = road(operation, parts);
  return async (request, response) => {
    const stamp = requestStamp(response);
    stamp.isAtWork = true;
    try {
      await carryOut(request, response, stamp);
    } catch (error) {
      answerError(parts.emulator, request, response, error);
    } finally {
      stamp.isAtWork = false;
      const { whenDone } = stamp;
      // What waits to be recorded must not keep request and answer with it.
      stamp.whenDone = undefined;
      whenDone?.();
    }
  };
}

/** The road of a request: gate, key, rate limit, body, validation, role, faults, work, answer. */
function road(operation: Operation, { emulator, reader }: OperationParts) {
  const faults = operation.access === 'local' ? undefined : emulator.faults;
  const isGated = !operation.ungated;
  const status = operation.status ?? 200;
  return async (request: Request, response: Response, stamp: RequestStamp): Promise<void> => {
    const { gate } = emulator;
    const isHeld = isGated && gate.isClosed;
    const era = isHeld ? await passage(emulator, stamp) : gate.era;
    const caller = admit(operation, emulator, request);
    stamp.caller = caller;
    if (caller) emulator.rateLimit?.count(caller.keyId, response);
    const input = await reader.read(request, response);
    const call = new Call(input, emulator, request, response);
    let place = OUTSIDE;
    try {
      if (isGated) place = gate.enter(call, era);
      begin(call, operation, input);
      const isArmed = faults?.isArmed === true;
      const answer = isArmed
        ? await underFaults(operation, call, { request, response })
        : await answerTo(operation, call);
      if (answer === DROPPED) return;
      await send(response, spoilt(call, answer), status);
      if (faults?.isArmed) tellAnswered(call);
    } finally {
      gate.leave(place);
      passOver(request, operation);
      await input.file?.discard();
    }
  };
}

/** The same where a fault rule or a hold may have a say in it; `DROPPED` where nobody is left to answer. */
async function underFaults(operation: Operation, call: Call<unknown, unknown>, at: Exchange): Promise<unknown> {
  if (!(await strikeCall(call, operation, at))) return DROPPED;
  const carryOut = () => answerTo(operation, call);
  if (!call.struck) return carryOut();
  try {
    return await struckAnswer(call, { operation, ...at, carryOut });
  } finally {
    await giveStrikeBack(call);
  }
}

/** Those who wait for the next answer to an account go on. */
function tellAnswered({ emulator, callerId }: Call<unknown, unknown>): void {
  emulator.faults.holds.moments.answered(callerId ?? '');
}

/** Where scripted answers are in force one may stand in for the work. */
function answerTo(operation: Operation, call: Call<unknown, unknown>): unknown {
  const isScriptable = operation.asked !== undefined && call.emulator.fixtures.inForce;
  return isScriptable ? answerScripted(operation, call) : operation.handle(call);
}

/** Waits for the gate to open. What a reset forgets ends with the requests before it. */
async function passage({ gate, journal }: Subsystems, stamp: RequestStamp): Promise<number> {
  const era = await gate.passage();
  stamp.volume = journal.volume;
  return era;
}

/** What is left of a body that a handler did not read to its end; the connection goes on. */
function passOver(request: Request, { stream }: Operation): void {
  if (stream) request.resume();
}

/** The service has no such thing: what is sent twice is charged twice. */
const KEY_OF_RETRY = 'idempotency-key';

/** Past the check of the role. */
function begin(call: Call<unknown, unknown>, operation: Operation, { unknown }: Input): void {
  if (operation.access === 'webhooks:manage') requirePermission(call.caller, operation.access);
  call.facts.operation = operation.name;
  if (call.emulator.recording && operation.asked) call.facts.asked = operation.asked(call.body);
  call.warnAll(unknown);
  // Whoever sends it may think that a second try is free.
  if (operation.paid && call.requestHeader(KEY_OF_RETRY) !== undefined) {
    call.warn(withReason(KEY_OF_RETRY, 'unsupported'));
  }
}

function admit(operation: Operation, emulator: Subsystems, request: Request): Caller | undefined {
  if (operation.access === 'public' || operation.access === 'local') return undefined;
  return authenticate(emulator.accounts, request.headers.authorization);
}

interface Input extends CallInput {
  /** Paths of fields that the operation does not know. */
  unknown: string[];
}

const NONE: string[] = [];

/** What a control operation takes that names no field: a query or body of none. */
const NO_FIELDS = z.object({});
/** More than a body that must hold nothing can have. */
const MOST_OF_NOTHING = 65_536;

/** Reads and validates what an operation takes. */
class OperationReader {
  readonly #operation: Operation;
  readonly #emulator: Subsystems;
  readonly #query: InputReader | undefined;
  readonly #body: InputReader | undefined;
  readonly #parsing: Parsing;
  readonly #room: BodyRoom;
  readonly #isStrict: boolean;

  constructor(operation: Operation, emulator: Subsystems, room: BodyRoom) {
    this.#operation = operation;
    this.#emulator = emulator;
    this.#room = room;
    this.#parsing = { skimmed: operation.skimmed ?? NONE };
    // A control call with a misspelt field would act on everybody: there nothing unknown passes [I233].
    this.#isStrict = operation.access === 'local';
    const taken = (schema: z.ZodType | undefined) => schema ?? (this.#isStrict ? NO_FIELDS : undefined);
    const [query, body] = [taken(operation.query), taken(operation.body)];
    this.#query = query && new InputReader(query);
    this.#body = body && new InputReader(body);
  }

  async read(request: Request, response: Response): Promise<Input> {
    const { upload, body, bodyLimit, stream } = this.#operation;
    if (stream) requireType(request, stream);
    if (upload) return this.#readForm(request, response, upload);
    if (!body) return this.#validate(request, this.#isStrict && !stream ? await readNothing(request) : {});
    const bytes = await readBody(request, { limit: bodyLimit, room: this.#room });
    const stamp = requestStamp(response);
    stamp.body = bytes;
    if (bytes.length <= LARGE) return this.#validate(request, parseJson(bytes));
    const parsed = await parseLarge(bytes, this.#parsing);
    stamp.giveBack = () => this.#room.giveBack(bytes);
    return this.#validate(request, parsed);
  }

  /** A form whose text fields are refused leaves no file. */
  async #readForm(request: Request, response: Response, field: string): Promise<Input> {
    const { fields, file } = await readUpload(request, response, {
      field,
      files: this.#emulator.files,
    });
    const { facts } = requestStamp(response);
    facts.bytes = file.bytes;
    facts.form = hash('sha1', JSON.stringify([file.sha256, fields]), 'base64');
    try {
      return { ...this.#validate(request, fields), file };
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #validate(request: Request, given: unknown): Input {
    if (this.#isStrict) {
      const query = this.#query?.readKnown(this.#named(request.query));
      return { query, body: this.#body?.readKnown(given), file: undefined, unknown: NONE };
    }
    const query = this.#query?.read(request.query);
    const body = this.#body?.read(given);
    const unknown = query ? [...query.unknown, ...(body?.unknown ?? [])] : (body?.unknown ?? NONE);
    if (unknown.length > 0 && this.#emulator.config.strict) {
      refuseUnknown(unknown, this.#operation.harmless?.(given as Record<string, unknown>) ?? []);
    }
    return { query: query?.value, body: body?.value, file: undefined, unknown };
  }

  /** A query by the names of its schema; one that has a field by both names keeps the other, which is refused. */
  #named(query: Request['query']): Request['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}

/** The body of an operation that takes none: as a rule there is no byte of it. */
async function readNothing(request: Request): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return {};
  const bytes = await readBytes(request, MOST_OF_NOTHING);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
