import { type Clock, pause } from '../clock/clock.ts';
import type { Act } from './deviation-table.ts';
import type { KillableApp } from './killable-app.ts';
import type { Stage } from './run-stage.ts';
import { type Entry, entryKey } from './schedule.ts';
import type { Step, StepMatch } from './step.ts';

/** What is to be done with a message when it is held. */
export interface HeldOrder {
  entry: Entry;
  step: Step;
  act: Exclude<Act, { effect: unknown }>;
  match: StepMatch & { account_id?: string };
}

export interface HoldOptions {
  clock: Clock;
  app: KillableApp | undefined;
  slowMs: number;
  /** The end of the run. */
  signal: AbortSignal;
}

/** A hold as `GET /_emulator/holds` lists it. */
interface HoldRow {
  id: string;
  held: { id: string }[];
}

const LOOK_AGAIN_MS = 6;
/** What a client that has been slow before is given. */
const REACH_MS = 4;

/** Sets a hold for a step; the answer waits for it to be met, does its part, and is undefined, or the entry that was never met. */
export async function watchHolds(
  order: HeldOrder,
  stage: Stage,
  options: HoldOptions,
): Promise<() => Promise<string | undefined>> {
  const at = order.step.kind === 'delivery' ? 'delivery' : placeOf(order.act);
  const { id } = await stage.control.post<{ id: string }>('/holds', { match: order.match, at, times: 1 });
  const met = watch(id, order, { stage, options });
  // Whoever ends the run hears of what went wrong.
  met.catch(() => undefined);
  return () => met;
}

function placeOf(act: HeldOrder['act']): 'request' | 'answer' {
  return 'kill' in act && act.kill === 'before' ? 'request' : 'answer';
}

async function watch(
  id: string,
  order: HeldOrder,
  { stage, options }: { stage: Stage; options: HoldOptions },
): Promise<string | undefined> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    const row = await rowOf(stage, id);
    if (row && row.held.length > 0) {
      await meet(id, order, { stage, options });
      return undefined;
    }
    await pause(clock, LOOK_AGAIN_MS);
  }
  return entryKey(order.entry);
}

async function meet(
  id: string,
  { act, step }: HeldOrder,
  { stage, options }: { stage: Stage; options: HoldOptions },
): Promise<void> {
  const release = (effect?: object) => stage.control.post(`/holds/${id}/release`, effect ? { effect } : {});
  if ('hold' in act) {
    await waitOut(id, { stage, options });
    await release().catch(() => undefined);
    return;
  }
  const { app } = options;
  if (!app) return;
  const isDelivery = step.kind === 'delivery';
  if (act.kill === 'before') {
    await app.kill();
    await release(isDelivery ? { webhook: 'drop' } : { drop: true }).catch(() => undefined);
  } else if (act.kill === 'during' && !isDelivery) {
    await app.kill();
    await release().catch(() => undefined);
  } else {
    await release();
    await pause(options.clock, act.kill === 'after' ? REACH_MS * 3 : REACH_MS);
    await app.kill();
  }
  await comeBack(app, stage);
}

/** What falls due until the app is ready again is held. */
async function comeBack(app: KillableApp, { control, scope }: Stage): Promise<void> {
  const match = scope === undefined ? {} : { account_id: scope };
  const gate = await control.post<{ id: string }>('/holds', { match, at: 'delivery', times: 0 });
  await app.restart();
  await control.delete(`/holds/${gate.id}`);
}

/** Until the client hangs up, or the time is over. */
async function waitOut(id: string, { stage, options }: { stage: Stage; options: HoldOptions }): Promise<void> {
  const { clock, slowMs, signal } = options;
  const end = clock.real() + slowMs;
  while (clock.real() < end && !signal.aborted) {
    const row = await rowOf(stage, id);
    if (!row || row.held.length === 0) return;
    await pause(clock, LOOK_AGAIN_MS);
  }
}

async function rowOf({ control, scope }: Stage, id: string): Promise<HoldRow | undefined> {
  return (await control.list<HoldRow>('/holds', { account_id: scope })).find((each) => each.id === id);
}
