import type { WireAnswer } from '../client/call-operation.ts';
import { type Clock, pause } from '../clock/clock.ts';
import type { RunContext } from '../runs/run-record.ts';
import type { KillableApp, Rank } from '../runs/runner.ts';
import type { Step } from './step.ts';

export interface HoldOptions {
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

const LOOK_AGAIN_MS = 6;
/** How long an app may take to answer before it is killed all the same. */
const ANSWER_MS = 2000;
/** How long what else is on its way to an app is waited for before it is killed. */
const OTHERS_MS = 200;

/** Whether it has held a message before the run ended. */
export async function untilMet(
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

/** Until the app has answered a delivery: what it does of its own after that is for the moment before it is killed. */
export async function untilAnswered(
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
export async function untilHeard({ context, options }: { context: RunContext; options: HoldOptions }): Promise<void> {
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

/** Until the client hangs up, or the time is over. */
export async function waitOut(
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

export async function rowOf({ control, scope }: RunContext, id: string): Promise<HoldRow | undefined> {
  const { data } = await control('listHolds', { account_id: scope });
  return data.find((each) => each.id === id);
}
