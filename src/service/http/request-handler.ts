import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import { type Caller, PERMISSIONS, type Permission } from '../../engine/accounts/account-store.ts';
import type { RequestHooks } from '../../engine/violations.ts';
import { callUnderFaults, DROPPED } from '../faults/under-faults.ts';
import { type Fixtures, withScripted } from '../fixtures/fixtures.ts';
import type { Context } from './context.ts';
import { withReason } from './field-list.ts';
import type { Operation } from './operation.ts';
import type { Input, OperationReader } from './operation-reader.ts';
import { inPieces, MANY_ROWS } from './replies.ts';
import { Call, type RequestContext, requestContextOf, type ServiceRequest } from './request.ts';
import { type Fail, send } from './send.ts';
import { NOT_ADMITTED } from './state-barrier.ts';

type Handler = (request: ServiceRequest, response: ServerResponse) => Promise<void>;

interface HandlerParts {
  context: Context;
  reader: OperationReader;
  fail: Fail;
}

/** A client that hangs up may still be charged: the journal waits for the end of the operation. */
export function handlerFor(operation: Operation, parts: HandlerParts): Handler {
  const perform = stepsOf(operation, parts);
  const { violations } = parts.context.failures;
  const isFaultable = operation.access !== 'local';
  return async (request, response) => {
    const requestContext = requestContextOf(response);
    requestContext.isAtWork = true;
    try {
      const active = isFaultable ? violations.active : undefined;
      if (active) {
        requestContext.violations = active.request(request, response, operation);
        if (!requestContext.violations) return;
      }
      await perform(request, response, requestContext);
    } catch (error) {
      parts.fail(request, response, error);
    } finally {
      requestContext.isAtWork = false;
      const { whenDone } = requestContext;
      // A request that waits to be recorded must not retain this closure, which holds request and answer.
      requestContext.whenDone = undefined;
      whenDone?.();
    }
  };
}

/** The steps of a request: state barrier, key, rate limit, body, validation, role, faults, work, answer. */
function stepsOf(operation: Operation, { context, reader }: HandlerParts) {
  const { barrier } = context.control;
  const { faults, fixtures } = context.failures;
  const { journal } = context.records;
  const isFaultable = operation.access !== 'local';
  const isArmed = () => isFaultable && faults.isArmed;
  const isGated = !operation.ungated;
  const status = operation.status ?? 200;
  return async (request: ServiceRequest, response: ServerResponse, requestContext: RequestContext): Promise<void> => {
    let { generation } = barrier;
    if (isGated && barrier.isClosed) {
      generation = await barrier.admission();
      // The old journal ended with the requests of the old state.
      requestContext.generation = journal.writer.generation;
    }
    const caller = admit(operation, context, request, requestContext.violations);
    requestContext.caller = caller;
    if (caller) context.control.rateLimit?.count(caller.keyId, response);
    const input = await reader.read(request, response);
    const call = new Call(input, context, request, response);
    let slot = NOT_ADMITTED;
    try {
      if (isGated) slot = barrier.enter(call, generation);
      begin(call, operation, input);
      const perform = () => answerTo(operation, call, fixtures);
      const answer = isArmed()
        ? await callUnderFaults(operation, call, { context, request, response, perform })
        : await perform();
      if (answer === DROPPED) return;
      annotateSubject(operation, call, answer);
      await send(response, inParts(answer, response), status);
      if (isArmed()) faults.holds.timers.answered(call.callerId ?? '');
    } finally {
      barrier.leave(slot);
      await input.file?.discard();
    }
  };
}

function annotateSubject({ access }: Operation, { annotations, body }: Call<unknown, unknown>, answer: unknown): void {
  if (access !== 'local') return;
  const [accountId, ref] = [accountIn(body), idIn(answer)];
  if (accountId !== undefined) annotations.accountId = accountId;
  if (ref !== undefined) annotations.ref = ref;
}

/** A fault rule or a scripted answer may name an account. */
function accountIn(body: unknown): string | undefined {
  const { account_id: id, match, fixtures } = Object(body);
  if (typeof id === 'string') return id;
  const inside = match ?? (Array.isArray(fixtures) ? Object(fixtures[0]).match : undefined);
  return inside === undefined ? undefined : accountIn(inside);
}

function idIn(answer: unknown): string | undefined {
  const { id, data } = Object(answer);
  if (typeof id === 'string') return id;
  return Array.isArray(data) && data.length > 0 ? idIn(data[0]) : undefined;
}

function inParts(answer: unknown, response: ServerResponse): unknown {
  const { data } = Object(answer) as { data?: unknown };
  return Array.isArray(data) && data.length > MANY_ROWS ? inPieces(answer as { data: object[] }, response) : answer;
}

function answerTo(operation: Operation, call: Call<unknown, unknown>, fixtures: Fixtures): unknown {
  const matchKey = fixtures.inForce ? operation.matchKey?.(call.body) : undefined;
  if (!matchKey) return operation.handle(call);
  return withScripted(fixtures, {
    name: operation.name,
    accountId: call.caller.accountId,
    matchKey,
    work(scripted) {
      call.scripted = scripted;
      if (scripted) call.header('svc-emulator-fixture', scripted.fixture);
      return operation.handle(call);
    },
    isCharged: () => call.annotations.charges !== undefined,
  });
}

/** The service does not have it: a request that is sent twice is charged twice. */
const IDEMPOTENCY_KEY = 'idempotency-key';

/** Throws `permission_denied`, unless a violation allows the call. */
function permit({ caller: { role }, violations }: Call<unknown, unknown>, permission: Permission): void {
  if (PERMISSIONS[role].includes(permission)) return;
  const error = new EmulatorError(
    'permission_denied',
    `The role ${role} lacks the permission ${permission}; use the key of an owner or an admin of the workspace.`,
  );
  if (!violations?.permits(error)) throw error;
}

function begin(call: Call<unknown, unknown>, operation: Operation, { ignored }: Input): void {
  if (operation.access === 'webhooks:manage') permit(call, operation.access);
  call.annotations.operation = operation.name;
  call.warnAll(ignored);
  // A client that sends it may expect a retry to be free.
  if (operation.paid && call.requestHeader(IDEMPOTENCY_KEY) !== undefined) {
    call.warn(withReason(IDEMPOTENCY_KEY, 'unsupported'));
  }
}

function admit(
  operation: Operation,
  { accounts }: Context,
  request: ServiceRequest,
  violations: RequestHooks | undefined,
): Caller | undefined {
  if (operation.access === 'public' || operation.access === 'local') return undefined;
  try {
    return accounts.keys.authenticate(request.headers.authorization);
  } catch (error) {
    const caller = violations?.letIn(error);
    if (caller) return caller;
    throw error;
  }
}
