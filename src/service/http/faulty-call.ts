import type { ServerResponse } from 'node:http';
import { type FaultyRequest, underFaults } from '../../engine/faults/apply.ts';
import { type Directives, mergeDirectives } from '../../engine/faults/directives.ts';
import { faultyStream } from '../../engine/faults/effects/stream-effect.ts';
import type { FaultPoint, FaultTarget } from '../../engine/faults/fault-rule.ts';
import { type PaidOperation, paidWork } from '../../engine/faults/paid-work.ts';
import { untilNotified } from '../../engine/generation/job-record.ts';
import type { Scriptable } from '../fixtures/fixture-schema.ts';
import type { Context } from './context.ts';
import type { Operation } from './operation.ts';
import { EventStream } from './replies.ts';
import { type Call, type ServiceRequest, watchGone } from './request.ts';

interface Performing {
  context: Context;
  request: ServiceRequest;
  response: ServerResponse;
  /** The work of the operation. */
  perform(): unknown;
}

/**
 * Performs an operation under the fault rules, holds and latency profile that are set. They act after every validation of
 * the request, and before content policy, balance and work. Answers `DROPPED` when the connection is gone.
 */
export function performFaulty(
  operation: Operation,
  call: Call<unknown, unknown>,
  { context, request, response, perform }: Performing,
): Promise<unknown> {
  const { faults, catalogue } = context;
  const { path, originalUrl } = request;
  const accountId = call.callerId ?? operation.owner?.(call) ?? '';
  const read = request.method === 'GET' ? originalUrl : undefined;
  return underFaults(
    faults,
    { path, accountId, paid: operation.paid, read },
    {
      async request() {
        await operation.check?.(call);
        const target = targetOf({ catalogue, body: call.body }, operation, { surface: 'service', path, accountId });
        return faultyRequest(target, { context, call, response });
      },
      async work(met) {
        if (met) call.appliedFault = met.fault;
        const answer = await perform();
        const stream = met?.fault.stream;
        if (!stream || !(answer instanceof EventStream)) return answer;
        const pause = (milliseconds: number) => faults.holds.waits.wait(milliseconds, call.gone);
        return new EventStream(faultyStream(answer.events, stream, pause));
      },
    },
  );
}

/** A call as faults act on it. */
function faultyRequest(
  target: FaultTarget,
  { context, call, response }: { context: Context; call: Call<unknown, unknown>; response: ServerResponse },
): FaultyRequest {
  const { accountId, method, path } = target;
  return {
    target,
    gone: call.gone,
    message: { accountId, what: `${method} ${path}`, requestId: call.requestId },
    noteRule(id) {
      call.facts.fault = id;
    },
    // A call that a reset overtakes ends here with an error, so not by the signal of the call.
    wait: (milliseconds) => context.faults.holds.waits.wait(milliseconds, watchGone(response).signal),
    reset: () => resetConnection(response),
    async beforeAnswer({ takes }) {
      const jobs = (call.facts.charges ?? []).flatMap(({ jobId }) => jobId ?? []);
      const instant = jobs.filter((_, at) => takes?.[at]?.faults?.pace === 'instant');
      if (instant.length > 0) await untilNotified(context, instant, call.gone);
    },
  };
}

/** The client sees a reset (RST), not an end; the journal shows status 0. */
export function resetConnection(response: ServerResponse): 'gone' {
  response.statusCode = 0;
  response.socket?.resetAndDestroy();
  return 'gone';
}

/** Handles a call with the scripted answer that fits it, if any; one that was not charged for is given back. */
export async function answerScripted(
  operation: Operation,
  call: Call<unknown, unknown>,
  fixtures: Context['fixtures'],
): Promise<unknown> {
  const matchKey = operation.matchKey?.(call.body);
  // Only scriptable operations have a match key.
  const name = operation.name as Scriptable;
  const scripted = matchKey && (await fixtures.take(name, call.caller.accountId, matchKey));
  if (!scripted) return operation.handle(call);
  call.scripted = scripted;
  call.header('svc-emulator-fixture', scripted.fixture);
  try {
    return await operation.handle(call);
  } catch (error) {
    if (!scripted.charged) await fixtures.giveBack(scripted).catch(() => undefined);
    throw error;
  }
}

/** Reads of the CDN belong to the account whose file is read. */
const CDN: FaultPoint = {
  surface: 'cdn',
  path: '/cdn/*',
  methods: ['GET', 'HEAD'],
  announces: false,
  hasTexts: false,
  hasAccount: true,
};

/** Where fault rules can act: the operations of the service and of flows, and the reads of the CDN. */
export function faultPoints(operations: readonly Operation[]): FaultPoint[] {
  const points = operations.map((operation) => ({
    surface: 'service' as const,
    path: operation.path,
    methods: [operation.method],
    paid: operation.paid,
    announces: announces(operation),
    hasTexts: operation.body !== undefined,
    hasAccount: operation.access !== 'public' || operation.owner !== undefined,
  }));
  return [...points, CDN];
}

/** Separates the texts of a request; no rule looks for it. */
const SEPARATOR = '\u0000';

/** What a request or a step asks with. */
export interface Asking extends Pick<Context, 'catalogue'> {
  body: unknown;
}

/** A request, or a step of a run, as fault rules see it. */
export function targetOf(
  asking: Asking,
  operation: Operation,
  site: Pick<FaultTarget, 'surface' | 'path' | 'accountId'>,
): FaultTarget {
  const { paid, method } = operation;
  const texts: string[] = [];
  const directives = readTexts(asking.body, texts);
  return {
    ...site,
    method,
    directives,
    paid,
    announces: announces(operation),
    takes: paid === 'music.generation' ? Number(field(asking.body, 'n') ?? 1) : 1,
    // One text is searched faster than many, and no match can span two of them.
    text: texts.join(SEPARATOR),
    model: paid && modelOf(asking, paid),
    streamed: field(asking.body, 'stream') === true,
  };
}

/** Whether webhooks announce the end of what an operation starts. */
function announces({ paid, announces: always }: Operation): boolean {
  return always === true || (paid !== undefined && paidWork(paid).announces === true);
}

/** The model that a request names, or else the default of its kind. */
export function modelOf({ catalogue, body }: Asking, paid: PaidOperation) {
  const kind = paidWork(paid).model;
  const named = field(body, 'model');
  if (typeof named === 'string') return named;
  return kind === undefined || kind === 'chat' ? undefined : catalogue.standard(kind);
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Collects the texts of a validated body, except for pictures in them; returns the directives that the texts had. */
function readTexts(value: unknown, texts: string[]): Directives {
  if (typeof value === 'string') {
    if (!/^data:/i.test(value)) texts.push(value);
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  if ('directives' in value && 'text' in value && typeof value.text === 'string') {
    texts.push(value.text);
    return value.directives as Directives;
  }
  return Object.values(value)
    .map((each) => readTexts(each, texts))
    .reduce(mergeDirectives, {});
}
