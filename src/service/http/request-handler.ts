import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { EmulatorError } from '../../base/errors.ts';
import { PERMISSIONS_BY_ROLE, type Permission } from '../../engine/accounts/account-store.ts';
import type { Caller } from '../../engine/accounts/key-store.ts';
import { answerUnderFaults, CONNECTION_DROPPED } from '../faults/under-faults.ts';
import { runWithScriptedAnswer } from '../fixtures/fixtures.ts';
import { parseJsonBody, readJsonBodyBytes, readOptionalJsonBody } from './body.ts';
import type { Context } from './context.ts';
import { findMistypedDirectivesInBody, mistypedDirectiveError, mistypedDirectiveWarning } from './directed-text.ts';
import { packFieldWithReason } from './field-list.ts';
import { parseFieldPath } from './field-tree.ts';
import { InputReader } from './input.ts';
import { rejectUnknownFields } from './issue-text.ts';
import { isNeutralValue } from './neutral-values.ts';
import type { Operation } from './operation.ts';
import { asStreamedListReply, MAX_ROWS_AT_ONCE } from './replies.ts';
import { Call, type CallInput, type HttpRequest, requestContextOf } from './request.ts';
import { type ErrorSender, send } from './send.ts';
import { NOT_ADMITTED } from './state-barrier.ts';
import { readUploadForm } from './upload.ts';

type Handler = (request: HttpRequest, response: ServerResponse) => Promise<void>;

interface HandlerParts {
  context: Context;
  fail: ErrorSender;
}

export function createRequestHandler(operation: Operation, { context, fail }: HandlerParts): Handler {
  const parts = { context, reader: new OperationReader(operation, context) };
  return async (request, response) => {
    const requestContext = requestContextOf(response);
    requestContext.isAtWork = true;
    requestContext.annotations.operation = operation.name;
    try {
      await serve(operation, parts, request, response);
    } catch (error) {
      fail(request, response, error);
    } finally {
      requestContext.isAtWork = false;
      const { whenDone } = requestContext;
      // The journal keeps the request context for a while, and `whenDone` would keep the request and the response with it.
      requestContext.whenDone = undefined;
      whenDone?.();
    }
  };
}

function isFaultable({ access }: Operation): boolean {
  return access !== 'local';
}

async function serve(
  operation: Operation,
  { context, reader }: { context: Context; reader: OperationReader },
  request: HttpRequest,
  response: ServerResponse,
): Promise<void> {
  const requestContext = requestContextOf(response);
  const { barrier, rateLimit } = context.control;
  const { rules } = context.failures;
  // A reset or a restore starts a new epoch. If that happens before `enter`, `enter` throws.
  let { stateEpoch } = barrier;
  if (!operation.skipsBarrier && barrier.isClosed) {
    stateEpoch = await barrier.admission();
    // A request that waited at the barrier belongs to the new state, and so to its journal.
    requestContext.journalEpoch = context.records.journal.epoch;
  }
  const caller = callerOf(operation, context, request);
  requestContext.caller = caller;
  if (caller) rateLimit?.count(caller.keyId, response);
  const input = await reader.read(request, response);
  const call = new Call(input, context, request, response);
  let slot = NOT_ADMITTED;
  try {
    if (!operation.skipsBarrier) slot = barrier.enter(call, stateEpoch);
    if (operation.validate) await operation.validate(call);
    if (operation.access === 'webhooks:manage') requirePermission(call.caller, operation.access);
    warnOfIgnored(call, operation, input);
    const answer =
      isFaultable(operation) && rules.isArmed
        ? await answerUnderFaults({ operation, call, request, response }, () => answerTo(operation, call))
        : await answerTo(operation, call);
    if (answer === CONNECTION_DROPPED) return;
    annotateSubject(operation, call, answer);
    await send(response, streamIfLong(answer, response), operation.status ?? 200);
    if (isFaultable(operation) && rules.isArmed) rules.waits.noteResponse(call.callerId ?? '');
  } finally {
    barrier.leave(slot);
    if (input.file) await input.file.discard();
  }
}

function callerOf({ access }: Operation, { accounts }: Context, { headers }: HttpRequest): Caller | undefined {
  if (access === 'public' || access === 'local') return undefined;
  return accounts.keys.authenticate(headers.authorization);
}

function requirePermission({ role }: Caller, permission: Permission): void {
  if (PERMISSIONS_BY_ROLE[role].includes(permission)) return;
  throw new EmulatorError(
    'permission_denied',
    `The role ${role} lacks the permission ${permission}; use the key of an owner or an admin of the workspace.`,
  );
}

/** The service ignores this header: a request that is sent twice is charged twice. */
const IDEMPOTENCY_KEY = 'idempotency-key';

function warnOfIgnored(call: Call<unknown, unknown>, { paid }: Operation, { ignored }: OperationInput): void {
  call.warnAll(ignored);
  // A client that sends an idempotency key may expect that a retry is free.
  if (paid && call.requestHeader(IDEMPOTENCY_KEY) !== undefined) {
    call.warn(packFieldWithReason(IDEMPOTENCY_KEY, 'unsupported'));
  }
}

function answerTo(operation: Operation, call: Call<unknown, unknown>): unknown {
  const { fixtures } = call.context.failures;
  const matchValues = fixtures.inForce ? operation.matchValues?.(call.body) : undefined;
  if (!matchValues) return operation.handle(call);
  return runWithScriptedAnswer(fixtures, {
    name: operation.name,
    accountId: call.caller.accountId,
    matchValues,
    work(scripted) {
      call.scripted = scripted;
      if (scripted) call.header('svc-emulator-fixture', scripted.fixture);
      return operation.handle(call);
    },
    isCharged: () => call.order !== undefined,
  });
}

function annotateSubject({ access }: Operation, { annotations, body }: Call<unknown, unknown>, answer: unknown): void {
  if (access !== 'local') return;
  const [accountId, ref] = [accountIdIn(body), idIn(answer)];
  if (accountId !== undefined) annotations.accountId = accountId;
  if (ref !== undefined) annotations.ref = ref;
}

function accountIdIn(body: unknown): string | undefined {
  const { account_id: id, match, fixtures } = Object(body);
  if (typeof id === 'string') return id;
  const inside = match ?? (Array.isArray(fixtures) ? Object(fixtures[0]).match : undefined);
  return inside === undefined ? undefined : accountIdIn(inside);
}

function idIn(answer: unknown): string | undefined {
  const { id, data } = Object(answer);
  if (typeof id === 'string') return id;
  return Array.isArray(data) && data.length > 0 ? idIn(data[0]) : undefined;
}

function streamIfLong(answer: unknown, response: ServerResponse): unknown {
  const { data } = Object(answer) as { data?: unknown };
  return Array.isArray(data) && data.length > MAX_ROWS_AT_ONCE
    ? asStreamedListReply(answer as { data: object[] }, response)
    : answer;
}

interface OperationInput extends CallInput {
  ignored: string[];
}

const NONE: string[] = [];

const NO_FIELDS = z.object({});

class OperationReader {
  readonly #operation: Operation;
  readonly #context: Context;
  readonly #query: InputReader | undefined;
  readonly #body: InputReader | undefined;
  readonly #isStrict: boolean;

  constructor(operation: Operation, context: Context) {
    this.#operation = operation;
    this.#context = context;
    // Rejects unknown fields of control operations, because a call with a misspelled filter could act on all accounts
    // [I233].
    this.#isStrict = operation.access === 'local';
    const schemaOrNone = (schema: z.ZodType | undefined) => schema ?? (this.#isStrict ? NO_FIELDS : undefined);
    const [query, body] = [schemaOrNone(operation.query), schemaOrNone(operation.body)];
    this.#query = query && new InputReader(query);
    this.#body = body && new InputReader(body);
  }

  async read(request: HttpRequest, response: ServerResponse): Promise<OperationInput> {
    const { upload, body, bodyLimit } = this.#operation;
    if (upload) return this.#readForm(request, response, upload);
    if (!body) return this.#validate(request, this.#isStrict ? await readOptionalJsonBody(request) : {});
    const bytes = await readJsonBodyBytes(request, bodyLimit);
    requestContextOf(response).body = bytes;
    return this.#validate(request, parseJsonBody(bytes));
  }

  async #readForm(request: HttpRequest, response: ServerResponse, field: string): Promise<OperationInput> {
    const { fields, file } = await readUploadForm(request, response, { field, files: this.#context.storage.files });
    const { annotations } = requestContextOf(response);
    annotations.bytes = file.bytes;
    annotations.form = hash('sha1', JSON.stringify([file.sha256, fields]), 'base64');
    // Leaves out empty fields, because a form sends those that the user did not fill in.
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
    try {
      return { ...this.#validate(request, given), file };
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #validate(request: HttpRequest, given: unknown): OperationInput {
    if (this.#isStrict) {
      const query = this.#query?.readKnown(this.#resolveAlias(request.query));
      return { query, body: this.#body?.readKnown(given), file: undefined, ignored: NONE };
    }
    const query = this.#query?.read(request.query);
    const body = this.#body?.read(given);
    const unknown = this.#unknownFields(request, given);
    if (unknown.length > 0 && this.#context.config.strict) {
      const { neutral } = this.#operation;
      rejectUnknownFields(unknown.filter((field) => !isNeutralValue(parseFieldPath(field), given, neutral)));
    }
    return { query, body, file: undefined, ignored: [...unknown, ...this.#warningsOfMistyped(body)] };
  }

  /**
   * Returns warnings of mistyped directives, which only texts of paid operations can contain. In strict mode, throws
   * instead.
   */
  #warningsOfMistyped(body: unknown): string[] {
    if (!this.#operation.paid) return NONE;
    const [first, ...others] = findMistypedDirectivesInBody(body);
    if (!first) return NONE;
    if (this.#context.config.strict) throw mistypedDirectiveError(first);
    return [first, ...others].map(mistypedDirectiveWarning);
  }

  #unknownFields(request: HttpRequest, given: unknown): string[] {
    const ofBody = this.#body?.unknown(given) ?? NONE;
    return this.#query ? [...this.#query.unknown(request.query), ...ofBody] : ofBody;
  }

  /**
   * Renames the alias of a query field to the name of the field. If a query has both names, the alias stays and is
   * rejected.
   */
  #resolveAlias(query: HttpRequest['query']): HttpRequest['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}
