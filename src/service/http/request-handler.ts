import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import { PERMISSIONS, type Permission } from '../../engine/accounts/account-store.ts';
import type { Caller } from '../../engine/accounts/key-store.ts';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import { withoutItsEnd } from '../../engine/faults/compatible-changes.ts';
import { faultyStream } from '../../engine/faults/effects/stream-effect.ts';
import { waitUntilNotified } from '../../engine/generation/job-record.ts';
import { findProgression } from '../../engine/jobs/job-store.ts';
import { CONNECTION_DROPPED, faultTargetOf, workUnderFaults } from '../faults/under-faults.ts';
import { withScriptedAnswer } from '../fixtures/fixtures.ts';
import type { Context } from './context.ts';
import { fieldWithReason } from './field-list.ts';
import type { Operation } from './operation.ts';
import type { OperationInput, OperationReader } from './operation-reader.ts';
import { EventStreamReply, MAX_ROWS_AT_ONCE, sendInPieces } from './replies.ts';
import { Call, requestContextOf, type ServiceRequest } from './request.ts';
import { type SendFailure, send } from './send.ts';
import { NOT_ADMITTED } from './state-barrier.ts';

type Handler = (request: ServiceRequest, response: ServerResponse) => Promise<void>;

interface HandlerParts {
  context: Context;
  reader: OperationReader;
  fail: SendFailure;
}

/** The handler of an operation. The journal waits for its end, because a client that disconnects may still be charged. */
export function handlerFor(operation: Operation, parts: HandlerParts): Handler {
  return async (request, response) => {
    const requestContext = requestContextOf(response);
    requestContext.isAtWork = true;
    requestContext.annotations.operation = operation.name;
    try {
      await serve(operation, parts, request, response);
    } catch (error) {
      parts.fail(request, response, error);
    } finally {
      requestContext.isAtWork = false;
      const { whenDone } = requestContext;
      // A request that waits to be recorded must not keep this closure in memory, which holds the request and its response.
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
  { context, reader }: HandlerParts,
  request: ServiceRequest,
  response: ServerResponse,
): Promise<void> {
  const requestContext = requestContextOf(response);
  const { barrier, rateLimit } = context.control;
  const { faults } = context.failures;
  let { stateEpoch } = barrier;
  if (!operation.ungated && barrier.isClosed) {
    stateEpoch = await barrier.admission();
    // A request that waited at a reset belongs to the new state, and so to the new journal.
    requestContext.journalEpoch = context.records.journal.epoch;
  }
  const caller = callerOf(operation, context, request);
  requestContext.caller = caller;
  if (caller) rateLimit?.count(caller.keyId, response);
  const input = await reader.read(request, response);
  const call = new Call(input, context, request, response);
  let slot = NOT_ADMITTED;
  try {
    if (!operation.ungated) slot = barrier.enter(call, stateEpoch);
    if (operation.validate) await operation.validate(call);
    if (operation.access === 'webhooks:manage') requirePermission(call.caller, operation.access);
    warnOfIgnored(call, operation, input);
    const answer =
      isFaultable(operation) && faults.isArmed
        ? await answerUnderFaults(operation, call, request, response)
        : await answerTo(operation, call);
    if (answer === CONNECTION_DROPPED) return;
    annotateSubject(operation, call, answer);
    await send(response, inParts(answer, response), operation.status ?? 200);
    if (isFaultable(operation) && faults.isArmed) faults.waits.answered(call.callerId ?? '');
  } finally {
    barrier.leave(slot);
    if (input.file) await input.file.discard();
  }
}

function callerOf({ access }: Operation, { accounts }: Context, { headers }: ServiceRequest): Caller | undefined {
  if (access === 'public' || access === 'local') return undefined;
  return accounts.keys.authenticate(headers.authorization);
}

/** Throws `permission_denied` if the role lacks the permission. */
function requirePermission({ role }: Caller, permission: Permission): void {
  if (PERMISSIONS[role].includes(permission)) return;
  throw new EmulatorError(
    'permission_denied',
    `The role ${role} lacks the permission ${permission}; use the key of an owner or an admin of the workspace.`,
  );
}

/** A header that the service ignores: a request that is sent twice is charged twice. */
const IDEMPOTENCY_KEY = 'idempotency-key';

function warnOfIgnored(call: Call<unknown, unknown>, { paid }: Operation, { ignored }: OperationInput): void {
  call.warnAll(ignored);
  // A client that sends the header may expect that a retry is free.
  if (paid && call.requestHeader(IDEMPOTENCY_KEY) !== undefined) {
    call.warn(fieldWithReason(IDEMPOTENCY_KEY, 'unsupported'));
  }
}

/** Works under the faults of the request. They act after validation, and before content policy, balance and work. */
function answerUnderFaults(
  operation: Operation,
  call: Call<unknown, unknown>,
  { path, method, originalUrl }: ServiceRequest,
  response: ServerResponse,
): Promise<unknown> {
  const { generation, failures } = call.context;
  const accountId = call.callerId ?? operation.owner?.(call) ?? '';
  const faulty = {
    path,
    accountId,
    paid: operation.paid,
    read: method === 'GET' ? originalUrl : undefined,
    gone: call.gone,
    response,
    message: { accountId, what: `${operation.method} ${path}`, requestId: call.requestId },
    hasAnswer: true,
    payer: call,
    async target() {
      await operation.checkBeforeFaults?.(call);
      const request = { catalogue: generation.catalogue, body: call.body };
      return faultTargetOf(request, operation, { surface: 'service', path, accountId });
    },
    onRules([first, ...others]: readonly [string, ...string[]]) {
      Object.assign(call.annotations, { fault: first, ...(others.length > 0 && { otherFaults: others }) });
    },
  };
  return workUnderFaults(failures.faults, faulty, async (fault) => {
    if (!fault) return answerTo(operation, call);
    call.appliedFault = fault;
    requestContextOf(response).change = fault.change;
    try {
      const answer = await answerTo(operation, call);
      if (fault.change === 'one_more_poll' && isFirstPoll(operation, call, answer))
        return withoutItsEnd(Object(answer));
      return fault.stream && answer instanceof EventStreamReply ? faulted(answer, fault.stream, call) : answer;
    } finally {
      await untilInstantNotified(call, fault);
    }
  });
}

/** Whether a fault hides the end of a job at its first poll. It does not if the account has a progression. */
function isFirstPoll(
  { name }: Operation,
  { context, callerId = '' }: Call<unknown, unknown>,
  answer: unknown,
): boolean {
  const { id, completed } = Object(answer) as { id?: string; completed?: number };
  if ((name !== 'getSong' && name !== 'getVideo') || id === undefined || completed === undefined) return false;
  const { accountId } = findProgression(context.database, callerId);
  return accountId === undefined && context.failures.faults.isFirstPoll(id);
}

function faulted(
  { events }: EventStreamReply,
  stream: NonNullable<AppliedFault['stream']>,
  { context, gone }: Call<unknown, unknown>,
): EventStreamReply {
  const pause = (milliseconds: number) => context.failures.faults.waits.delay(milliseconds, gone);
  return new EventStreamReply(faultyStream(events, stream, pause));
}

/** Waits until the events of jobs with the fault `instant` were delivered, because they come before the response. */
async function untilInstantNotified(
  { context, order, gone }: Call<unknown, unknown>,
  { takes }: AppliedFault,
): Promise<void> {
  const jobs = (order?.jobs ?? []).map(({ id }) => id);
  const instant = jobs.filter((_, at) => takes?.[at]?.faults?.pace === 'instant');
  if (instant.length > 0) await waitUntilNotified(context.generation, context.events.webhooks, instant, gone);
}

function answerTo(operation: Operation, call: Call<unknown, unknown>): unknown {
  const { fixtures } = call.context.failures;
  const matchKey = fixtures.inForce ? operation.matchKey?.(call.body) : undefined;
  if (!matchKey) return operation.handle(call);
  return withScriptedAnswer(fixtures, {
    name: operation.name,
    accountId: call.caller.accountId,
    matchKey,
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
  const [accountId, ref] = [accountIn(body), idIn(answer)];
  if (accountId !== undefined) annotations.accountId = accountId;
  if (ref !== undefined) annotations.ref = ref;
}

/** The account that a body names, such as that of a fault rule or a scripted answer. */
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
  return Array.isArray(data) && data.length > MAX_ROWS_AT_ONCE
    ? sendInPieces(answer as { data: object[] }, response)
    : answer;
}
