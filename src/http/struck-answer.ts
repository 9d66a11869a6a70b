import type { ServerResponse } from 'node:http';
import { type Effect, effectKind, rowOf } from '../faults/effects/effect-table.ts';
import type { Holds } from '../faults/holds/holds.ts';
import type { AppliedFault } from '../faults/struck.ts';
import { untilNotified } from '../generation/job-record.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Operation } from './operation.ts';
import type { ServiceRequest } from './service-request.ts';
import { accountOf, messageOf } from './strike-call.ts';
import { DROPPED, resetConnection } from './strike-request.ts';

/** How long an answer is kept back for the next one, in milliseconds of real time. */
const SWAPPED_MS = 1000;

const NOTHING: AppliedFault = { rules: [] };

interface Answering {
  context: Context;
  operation: Operation;
  request: ServiceRequest;
  response: ServerResponse;
  perform(): unknown;
}

/**
 * Has the work of a struck call done, and then what becomes of its answer [I234 I237]: it waits for the ends of jobs, for
 * the next answer or to be let go, or it is lost. Answers `DROPPED` where there is nobody left to answer.
 */
export async function struckAnswer(call: Call<unknown, unknown>, answering: Answering): Promise<unknown> {
  const { appliedFault = NOTHING } = call;
  const outcome = await outcomeOf(answering.perform);
  // What is refused before its work has no answer that could be lost: the strike is given back.
  const isDone = 'answer' in outcome || appliedFault.started === true;
  if (isDone && appliedFault.answer) appliedFault.started = true;
  const jobs = (call.facts.charges ?? []).flatMap(({ jobId }) => jobId ?? []);
  const instant = jobs.filter((_, at) => appliedFault.units?.[at]?.faults?.pace === 'instant');
  if (instant.length > 0) await untilNotified(answering.context, instant, call.gone);
  if (isDone && (await keepBack(call, appliedFault, answering)) === DROPPED) return DROPPED;
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
}

async function outcomeOf(perform: () => unknown): Promise<{ answer: unknown } | { error: unknown }> {
  try {
    return { answer: await perform() };
  } catch (error) {
    return { error };
  }
}

async function keepBack(
  call: Call<unknown, unknown>,
  { answer, hold }: AppliedFault,
  {
    context: {
      faults: { holds },
    },
    operation,
    request,
    response,
  }: Answering,
): Promise<typeof DROPPED | undefined> {
  const accountId = accountOf(call, operation);
  if (answer === 'swapped') await holds.timers.untilAnswered(accountId, SWAPPED_MS, call.gone);
  if (hold !== undefined) {
    const { method, path } = request;
    const { effect } = await holds.hold(hold, messageOf(call, { accountId, method, path }), call.gone);
    if (effect && (await act(effect, { holds, call, response })) === DROPPED) return DROPPED;
  }
  if (answer !== 'lost') return undefined;
  resetConnection(response);
  return DROPPED;
}

/** What an effect does to an answer that a hold has let go with it. */
async function act(
  effect: Effect,
  { holds, call, response }: { holds: Holds; call: Call<unknown, unknown>; response: ServerResponse },
): Promise<typeof DROPPED | undefined> {
  const row = rowOf(effectKind(effect));
  const end = await row.meet?.(effect, {
    wait: (milliseconds) => holds.waits.wait(milliseconds, call.gone),
    reset: () => resetConnection(response),
  });
  if (row.suffer?.(effect).answer === 'lost') resetConnection(response);
  else if (end !== 'gone') return undefined;
  return DROPPED;
}
