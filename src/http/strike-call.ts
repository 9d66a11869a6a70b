import type { ServerResponse } from 'node:http';
import { type Directives, mergeDirectives } from '../faults/directives.ts';
import type { FaultTarget } from '../faults/fault-rule.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import type { Caught } from '../faults/holds/hold.ts';
import { type PaidOperation, paidWork } from '../faults/paid-work.ts';
import { spoilStream } from '../faults/spoilt-stream.ts';
import type { AppliedFault } from '../faults/struck.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import { announces } from './fault-points.ts';
import type { Operation } from './operation.ts';
import { EventStream } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';
import { DROPPED, strikeRequest } from './strike-request.ts';

/**
 * Has holds, fault rules and the latency profile act on a call: after everything that could be wrong with it, before
 * content policy, balance and work. Answers false when its connection is gone.
 */
export async function strikeCall(
  { faults, catalogue }: Context,
  call: Call<unknown, unknown>,
  operation: Operation,
  { request, response }: { request: ServiceRequest; response: ServerResponse },
): Promise<boolean> {
  const { path } = request;
  const { paid } = operation;
  const accountId = accountOf(call, operation);
  faults.holds.timers.started(accountId, request.method === 'GET' ? request.originalUrl : undefined);
  if (!faults.looksAt({ path, accountId, paid })) return true;
  await operation.check?.(call);
  const target = targetOf({ catalogue, body: call.body }, operation, { surface: 'service', path, accountId });
  const caught = faults.holds.catch(target);
  const released = caught?.request && (await faults.holds.hold(caught.request, messageOf(call, target), call.gone));
  const effect = released ? released.effect : undefined;
  const appliedFault = await strikeRequest(faults, { target, response, effect });
  if (appliedFault === DROPPED) return false;
  call.appliedFault = caught ? withHolds(appliedFault, caught) : appliedFault;
  return true;
}

/** Whose call it is: the empty text where nobody is known. */
export function accountOf(call: Call<unknown, unknown>, operation: Operation): string {
  return call.callerId ?? operation.owner?.(call) ?? '';
}

export function messageOf(call: Call<unknown, unknown>, target: Pick<FaultTarget, 'accountId' | 'method' | 'path'>) {
  const { accountId, method, path } = target;
  return { accountId, what: `${method} ${path}`, requestId: call.requestId };
}

/** What is held later of the same request: its answer, and the deliveries of its events. */
function withHolds(appliedFault: AppliedFault | undefined, { answer, deliveries }: Caught): AppliedFault {
  const units = deliveries.map((hold, at) => {
    const unit = appliedFault?.units?.[at] ?? {};
    return hold === undefined ? unit : { ...unit, faults: { ...unit.faults, hold } };
  });
  return { rules: [], ...appliedFault, units, ...(answer === undefined ? {} : { hold: answer }) };
}

/**
 * A strike on work that never began, for want of credits or because the content policy refused it, is given back [I195].
 * Where that cannot be written it stays counted: nobody is answered otherwise for it.
 */
export async function giveStrikeBack(faults: FaultRules, appliedFault: AppliedFault | undefined): Promise<void> {
  if (!appliedFault || appliedFault.started) return;
  for (const id of appliedFault.rules) await faults.giveBack(id).catch(() => undefined);
}

/** The answer as its rule spoils it: only a stream can be. */
export function spoilt({ holds }: FaultRules, call: Call<unknown, unknown>, answer: unknown): unknown {
  const fault = call.appliedFault?.stream;
  if (!fault || !(answer instanceof EventStream)) return answer;
  const pause = (milliseconds: number) => holds.waits.wait(milliseconds, call.gone);
  return new EventStream(spoilStream(answer.events, fault, pause));
}

/** What no rule looks for. */
const BETWEEN = '\u0000';

/** Whoever asks for work, and with what. */
interface Asker extends Pick<Context, 'catalogue'> {
  body: unknown;
}

/** A request, or a step of a run, as fault rules see it. */
export function targetOf(
  asker: Asker,
  operation: Operation,
  place: Pick<FaultTarget, 'surface' | 'path' | 'accountId'>,
): FaultTarget {
  const { paid, method } = operation;
  const texts: string[] = [];
  const directives = readTexts(asker.body, texts);
  return {
    ...place,
    method,
    directives,
    paid,
    announces: announces(operation),
    takes: paid === 'music.generation' ? Number(field(asker.body, 'n') ?? 1) : 1,
    // One text is searched faster than many; no piece that is looked for can reach from one into the next.
    text: texts.join(BETWEEN),
    model: paid && modelOf(asker, paid),
    streamed: field(asker.body, 'stream') === true,
  };
}

/** The model that a request names, or the one that it means. */
function modelOf({ catalogue, body }: Asker, paid: PaidOperation) {
  const kind = paidWork(paid).model;
  const named = field(body, 'model');
  if (typeof named === 'string') return named;
  return kind === undefined || kind === 'chat' ? undefined : catalogue.standard(kind);
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Collects the texts of a validated body, pictures in them left out; answers the directives that stood in them. */
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
