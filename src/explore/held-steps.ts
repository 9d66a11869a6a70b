import type { WireInput } from '../client/call-operation.ts';
import { pause } from '../clock/clock.ts';
import type { RunContext } from '../runs/run-record.ts';
import type { KillableApp } from '../runs/runner.ts';
import type { Act } from './deviation-table.ts';
import { type HoldOptions, rowOf, untilAnswered, untilHeard, untilMet, waitOut } from './hold-waits.ts';
import type { Step, StepMatch } from './step.ts';

/** What is to be done with a message when it is held. */
interface HeldOrder {
  step: Step;
  act: Exclude<Act, { effect: unknown }>;
  match: StepMatch & { account_id?: string };
}
type ReleaseEffect = WireInput<'releaseHold'>['effect'];
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

/** What falls due until the app is ready again is held; answers what lets it go on. */
async function closeGate({ control, scope }: RunContext): Promise<() => Promise<void>> {
  const match = scope === undefined ? {} : { account_id: scope };
  const { id } = await control('createHold', { match, at: 'delivery', times: 0 });
  return () => control('deleteHold', { id });
}
