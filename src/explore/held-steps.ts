import type { WireAnswer, WireInput } from '../client/call-operation.ts';
import { type Clock, pause } from '../clock/clock.ts';
import type { RunContext } from '../runs/run-record.ts';
import type { KillableApp, Rank } from '../runs/runner.ts';
import type { Act } from './deviation-table.ts';
import type { Step, StepMatch } from './step.ts';

/** What is to be done with a message when it is held. */
interface HeldOrder {
  step: Step;
  act: Exclude<Act, { effect: unknown }>;
  match: StepMatch & { account_id?: string };
}

interface HoldOptions {
  clock: Clock;
  app: KillableApp | undefined;
  /** How long a slow answer is held, and what waited for all of it. */
  slow: { msFor(step: Step, rank: Rank): number; waitedOut(step: Step): void };
  rank: Rank;
  /** The end of the run. */
  signal: AbortSignal;
}

/** A hold with what it holds. */
type HoldRow = WireAnswer<'listHolds'>['data'][number];
type ReleaseEffect = WireInput<'releaseHold'>['effect'];

const LOOK_AGAIN_MS = 6;
/** How long an app may take to answer before it is killed all the same. */
const ANSWER_MS = 2000;
/** How long what else is on its way to an app is waited for before it is killed. */
const OTHERS_MS = 200;
/** What an answer is given to reach its client. */
const REACH_MS = 4;

/** A hold that is watched. */
export interface HeldWatch {
  /** Ends when the hold has been met and done its part, or with the run. */
  over: Promise<void>;
  /** Resolves when the app is up again, where it is being killed and started again now. */
  upAgain(): Promise<void>;
}

/** Sets a hold for a step, and watches it. */
export async function watchHolds(order: HeldOrder, context: RunContext, options: HoldOptions): Promise<HeldWatch> {
  const at = order.step.kind === 'delivery' ? 'delivery' : placeOf(order.act);
  const { id } = await context.control('createHold', { match: order.match, at, times: 1 });
  let isMet = false;
  const over = untilMet(id, { context, options }).then((met) => {
    isMet = met;
    return met ? meet(id, order, { context, options }) : undefined;
  });
  // The end of the run reports what went wrong.
  over.catch(() => undefined);
  return { over, upAgain: async () => (isMet && 'kill' in order.act ? over : undefined) };
}

function placeOf(act: HeldOrder['act']): 'request' | 'answer' {
  return 'kill' in act && act.kill === 'before' ? 'request' : 'answer';
}

/** Whether it has held a message before the run ended. */
async function untilMet(
  id: string,
  { context, options }: { context: RunContext; options: HoldOptions },
): Promise<boolean> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    const row = await rowOf(context, id);
    if (row && row.held.length > 0) return true;
    await pause(clock, LOOK_AGAIN_MS);
  }
  return false;
}

async function meet(
  id: string,
  { act, step }: HeldOrder,
  { context, options }: { context: RunContext; options: HoldOptions },
): Promise<void> {
  const release = (effect?: ReleaseEffect) => context.control('releaseHold', { id, effect });
  if ('hold' in act) {
    await waitOut(id, step, { context, options });
    await release().catch(() => undefined);
    return;
  }
  const { app } = options;
  if (!app) return;
  const open = await closeGate(context);
  await untilHeard({ context, options });
  await killAround(act.kill, app, { id, isDelivery: step.kind === 'delivery', release, context, options });
  await app.restart();
  await open();
}

interface HeldKill {
  id: string;
  isDelivery: boolean;
  release(effect?: ReleaseEffect): Promise<unknown>;
  context: RunContext;
  options: HoldOptions;
}

/** Lets the held message go on, and ends the app before, during or after that. */
async function killAround(
  when: 'before' | 'during' | 'after',
  app: KillableApp,
  { id, isDelivery, release, context, options }: HeldKill,
): Promise<void> {
  if (when === 'before') {
    await app.kill();
    await release(isDelivery ? { webhook: 'drop' } : { drop: true }).catch(() => undefined);
    return;
  }
  if (when === 'during' && !isDelivery) {
    await app.kill();
    await release().catch(() => undefined);
    return;
  }
  const delivery = when === 'after' ? (await rowOf(context, id))?.held[0]?.delivery_id : undefined;
  await release();
  if (delivery) await untilAnswered(delivery, { context, options });
  await pause(options.clock, when === 'after' ? REACH_MS * 3 : REACH_MS);
  await app.kill();
}

/** Until the app has answered a delivery: what it does of its own after that is for the moment before it is killed. */
async function untilAnswered(
  id: string,
  { context, options }: { context: RunContext; options: HoldOptions },
): Promise<void> {
  const { clock, signal } = options;
  const end = clock.real() + ANSWER_MS;
  while (clock.real() < end && !signal.aborted) {
    const { data } = await context.control('listDeliveries', { account_id: context.scope });
    if (data.some((each) => each.id === id && each.response_status !== null)) return;
    await pause(clock, LOOK_AGAIN_MS);
  }
}

/** Until nothing else is on its way to the app: what it has heard is not to depend on the moment at which it is killed. */
async function untilHeard({ context, options }: { context: RunContext; options: HoldOptions }): Promise<void> {
  const { clock, signal } = options;
  const end = clock.real() + OTHERS_MS;
  const query = { account_id: context.scope };
  while (clock.real() < end && !signal.aborted) {
    const { data: holds } = await context.control('listHolds', query);
    const held = new Set(holds.flatMap((row) => row.held.map((each) => each.delivery_id)));
    const { data: deliveries } = await context.control('listDeliveries', query);
    if (!deliveries.some(({ id, status }) => status === 'attempted' && !held.has(id))) return;
    await pause(clock, LOOK_AGAIN_MS);
  }
}

/** What falls due until the app is ready again is held; answers what lets it go on. */
async function closeGate({ control, scope }: RunContext): Promise<() => Promise<void>> {
  const match = scope === undefined ? {} : { account_id: scope };
  const { id } = await control('createHold', { match, at: 'delivery', times: 0 });
  return () => control('deleteHold', { id });
}

/** Until the client hangs up, or the time is over. */
async function waitOut(
  id: string,
  step: Step,
  { context, options }: { context: RunContext; options: HoldOptions },
): Promise<void> {
  const { clock, slow, rank, signal } = options;
  const end = clock.real() + slow.msFor(step, rank);
  while (clock.real() < end && !signal.aborted) {
    const row = await rowOf(context, id);
    if (!row || row.held.length === 0) return;
    await pause(clock, LOOK_AGAIN_MS);
  }
  if (!signal.aborted) slow.waitedOut(step);
}

async function rowOf({ control, scope }: RunContext, id: string): Promise<HoldRow | undefined> {
  const { data } = await control('listHolds', { account_id: scope });
  return data.find((each) => each.id === id);
}
