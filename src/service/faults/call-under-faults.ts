import type { ServerResponse } from 'node:http';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import { faultyStream } from '../../engine/faults/effects/stream-effect.ts';
import { untilNotified } from '../../engine/generation/job-record.ts';
import type { Context } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { EventStream } from '../http/replies.ts';
import type { Call, ServiceRequest } from '../http/request.ts';
import { targetOf } from './fault-target.ts';
import { type DROPPED, underFaults } from './under-faults.ts';

interface Performing {
  context: Context;
  request: ServiceRequest;
  response: ServerResponse;
  /** The work of the operation. */
  perform(): unknown;
}

/** Performs an operation under faults. They act after every validation, and before content policy, balance and work. */
export function callUnderFaults(
  operation: Operation,
  call: Call<unknown, unknown>,
  { context, request, response, perform }: Performing,
): Promise<unknown | typeof DROPPED> {
  const { faults } = context.failures;
  const { catalogue } = context.generation;
  const { path, method, originalUrl } = request;
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
    async target() {
      await operation.check?.(call);
      return targetOf({ catalogue, body: call.body }, operation, { surface: 'service', path, accountId });
    },
    onRule(id: string) {
      call.facts.fault = id;
    },
  };
  return underFaults(faults, faulty, async (fault) => {
    if (!fault) return perform();
    call.appliedFault = fault;
    try {
      const answer = await perform();
      return fault.stream && answer instanceof EventStream ? faulted(answer, fault.stream, { context, call }) : answer;
    } finally {
      await untilInstantNotified(context, call, fault);
    }
  });
}

function faulted(
  { events }: EventStream,
  stream: NonNullable<AppliedFault['stream']>,
  { context, call }: { context: Context; call: Call<unknown, unknown> },
): EventStream {
  const pause = (milliseconds: number) => context.failures.faults.holds.waits.wait(milliseconds, call.gone);
  return new EventStream(faultyStream(events, stream, pause));
}

/** A job that a rule makes final at once is announced before its call is answered. */
async function untilInstantNotified(
  context: Context,
  call: Call<unknown, unknown>,
  { takes }: AppliedFault,
): Promise<void> {
  const jobs = (call.facts.charges ?? []).flatMap(({ jobId }) => jobId ?? []);
  const instant = jobs.filter((_, at) => takes?.[at]?.faults?.pace === 'instant');
  if (instant.length > 0) await untilNotified(context.generation, context.events.webhooks, instant, call.gone);
}
