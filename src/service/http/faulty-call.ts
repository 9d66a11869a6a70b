import type { ServerResponse } from 'node:http';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import { applyBeforeWork, applyToAnswer, DROPPED, type FaultyRequest, givingBack } from '../../engine/faults/apply.ts';
import { faultyStream } from '../../engine/faults/effects/stream-effect.ts';
import type { FaultTarget } from '../../engine/faults/fault-rule.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { Message } from '../../engine/faults/hold.ts';
import { untilNotified } from '../../engine/generation/job-record.ts';
import type { Scriptable } from '../fixtures/subject.ts';
import type { Context } from './context.ts';
import { EventStream } from './event-stream.ts';
import { targetOf } from './fault-target.ts';
import type { Operation } from './operation.ts';
import { type Call, type ServiceRequest, watchGone } from './request.ts';

interface Performing {
  context: Context;
  request: ServiceRequest;
  response: ServerResponse;
  /** The work of the operation. */
  perform(): unknown;
}

/**
 * Performs an operation while fault rules, holds or a latency profile are set. They act after every validation of the
 * request, and before content policy, balance and work. Answers `DROPPED` when the connection is gone.
 */
export async function performFaulty(
  operation: Operation,
  call: Call<unknown, unknown>,
  { context, request, response, perform }: Performing,
): Promise<unknown> {
  const { faults, catalogue } = context;
  const { path } = request;
  const accountId = call.callerId ?? operation.owner?.(call) ?? '';
  faults.holds.timers.started(accountId, request.method === 'GET' ? request.originalUrl : undefined);
  if (!faults.looksAt({ path, accountId, paid: operation.paid })) return perform();
  await operation.check?.(call);
  const target = targetOf({ catalogue, body: call.body }, operation, { surface: 'service', path, accountId });
  const faulty = new FaultyCall(call, target, { faults, response });
  const appliedFault = await applyBeforeWork(faults, faulty);
  if (appliedFault === DROPPED) return DROPPED;
  if (!appliedFault) return perform();
  call.appliedFault = appliedFault;
  return givingBack(faults, appliedFault, () => performChanged(faulty, appliedFault, { context, perform }));
}

/** The work of a call whose work or answer a fault changes [I234 I237]. */
async function performChanged(
  faulty: FaultyCall,
  appliedFault: AppliedFault,
  { context, perform }: Pick<Performing, 'context' | 'perform'>,
): Promise<unknown> {
  const { call } = faulty;
  const { faults } = context;
  const outcome = await outcomeOf(perform);
  // What is refused before its work has no answer that could be lost: the rule is given back.
  const isDone = 'answer' in outcome || appliedFault.started === true;
  if (isDone && appliedFault.answer) appliedFault.started = true;
  const jobs = (call.facts.charges ?? []).flatMap(({ jobId }) => jobId ?? []);
  const instant = jobs.filter((_, at) => appliedFault.takes?.[at]?.faults?.pace === 'instant');
  if (instant.length > 0) await untilNotified(context, instant, call.gone);
  if (isDone && (await applyToAnswer(faults, appliedFault, faulty)) === DROPPED) return DROPPED;
  if ('error' in outcome) throw outcome.error;
  const { answer } = outcome;
  const { stream } = appliedFault;
  if (!stream || !(answer instanceof EventStream)) return answer;
  const pause = (milliseconds: number) => faults.holds.waits.wait(milliseconds, call.gone);
  return new EventStream(faultyStream(answer.events, stream, pause));
}

async function outcomeOf(perform: () => unknown): Promise<{ answer: unknown } | { error: unknown }> {
  try {
    return { answer: await perform() };
  } catch (error) {
    return { error };
  }
}

/** A call as faults act on it. */
class FaultyCall implements FaultyRequest {
  readonly call: Call<unknown, unknown>;
  readonly target: FaultTarget;
  readonly message: Message;
  readonly #faults: FaultRules;
  readonly #response: ServerResponse;

  constructor(
    call: Call<unknown, unknown>,
    target: FaultTarget,
    { faults, response }: { faults: FaultRules; response: ServerResponse },
  ) {
    const { accountId, method, path } = target;
    this.call = call;
    this.target = target;
    this.message = { accountId, what: `${method} ${path}`, requestId: call.requestId };
    this.#faults = faults;
    this.#response = response;
  }

  get gone(): AbortSignal {
    return this.call.gone;
  }

  noteRule(id: string): void {
    this.call.facts.fault = id;
  }

  /** A call that a reset overtakes ends here with an error, so not by the signal of the call. */
  wait(milliseconds: number): Promise<void> {
    return this.#faults.holds.waits.wait(milliseconds, watchGone(this.#response).signal);
  }

  reset(): 'gone' {
    return resetConnection(this.#response);
  }
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
  const asked = operation.asked?.(call.body);
  // Only scriptable operations have `asked`.
  const name = operation.name as Scriptable;
  const scripted = asked && (await fixtures.take(name, call.caller.accountId, asked));
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
