import { type Clock, waitRealTime } from '../../base/clock/clock.ts';
import type { WireAnswer, WireInput } from '../../control/call-operation.ts';
import type { RunContext } from '../runner/run-record.ts';
import type { KillableApp } from '../runner/runner.ts';
import type { FaultAction } from './fault-table.ts';
import type { Site, SiteMatch } from './site.ts';

export interface HoldContext {
  context: RunContext;
  app: KillableApp | undefined;
  clock: Clock;
  toArm: { slowMs(site: Site): number; onWaitedOut(site: Site): void };
  signal: AbortSignal;
}

interface HeldOrder {
  site: Site;
  act: Exclude<FaultAction, { effect: unknown }>;
  match: SiteMatch;
}

export interface HoldWatch {
  isMet(): boolean;
  over: Promise<void>;
  upAgain(): Promise<void>;
}

type HoldRow = WireAnswer<'listHolds'>['data'][number];
type ReleaseEffect = WireInput<'releaseHold'>['effect'];

export async function armHold(order: HeldOrder, run: HoldContext): Promise<HoldWatch> {
  const { act, site, match } = order;
  const at = site.kind === 'delivery' ? 'delivery' : 'kill' in act && act.kill === 'before' ? 'request' : 'answer';
  const { id } = await run.context.control('createHold', { match, at, times: 1 });
  let isMet = false;
  const over = until(run, Number.POSITIVE_INFINITY, async () => isHolding(await rowOf(run, id))).then(async (met) => {
    isMet = met;
    // Deletes a hold that has held no message by the end of the run. Otherwise it could hold a response that a
    // restarting app waits for.
    return met ? meet(id, order, run) : void (await run.context.control('deleteHold', { id }).catch(() => undefined));
  });
  over.catch(() => undefined);
  return { isMet: () => isMet, over, upAgain: async () => (isMet && 'kill' in act ? over : undefined) };
}

async function meet(id: string, { act, site }: HeldOrder, run: HoldContext): Promise<void> {
  const { context, app, toArm, signal } = run;
  const release = (effect?: ReleaseEffect) => context.control('releaseHold', { id, effect });
  if ('hold' in act) {
    const hasHungUp = await until(run, toArm.slowMs(site), async () => !isHolding(await rowOf(run, id)));
    if (!hasHungUp && !signal.aborted) toArm.onWaitedOut(site);
    await release().catch(() => undefined);
    return;
  }
  if (!app) return;
  const open = await closeGate(context);
  await untilHeard(run);
  await killAround(act.kill, app, { id, isDelivery: site.kind === 'delivery', release, run });
  await app.restart();
  await open();
}

/**
 * Milliseconds that a released delivery gets to reach the app before a kill `during`. Before a kill `after`, a released
 * message, or the response to a delivery, gets three times as long.
 */
const REACH_MS = 4;

interface HeldKill {
  id: string;
  isDelivery: boolean;
  release(effect?: ReleaseEffect): Promise<unknown>;
  run: HoldContext;
}

async function killAround(
  when: 'before' | 'during' | 'after',
  app: KillableApp,
  { id, isDelivery, release, run }: HeldKill,
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
  const delivery = when === 'after' ? (await rowOf(run, id))?.held[0]?.delivery_id : undefined;
  await release();
  if (delivery) await untilAnswered(delivery, run);
  await waitRealTime(run.clock, when === 'after' ? REACH_MS * 3 : REACH_MS);
  await app.kill();
}

async function closeGate({ control }: RunContext): Promise<() => Promise<void>> {
  const { id } = await control('createHold', { match: {}, at: 'delivery', times: 0 });
  return () => control('deleteHold', { id });
}

const LOOK_AGAIN_MS = 6;

async function until({ clock, signal }: HoldContext, limitMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const end = clock.real() + limitMs;
  while (clock.real() < end && !signal.aborted) {
    if (await isSo()) return true;
    await waitRealTime(clock, LOOK_AGAIN_MS);
  }
  return false;
}

const ANSWER_MS = 2000;

function untilAnswered(id: string, run: HoldContext): Promise<boolean> {
  return until(run, ANSWER_MS, async () => {
    const { data } = await run.context.control('listDeliveries', {});
    return data.some((each) => each.id === id && each.response_status !== null);
  });
}

const OTHERS_MS = 200;

/**
 * Waits until no other delivery is in progress, for at most `OTHERS_MS`, because the result must not depend on the
 * moment of the kill.
 */
function untilHeard(run: HoldContext): Promise<boolean> {
  const { control } = run.context;
  return until(run, OTHERS_MS, async () => {
    const { data: holds } = await control('listHolds', {});
    const held = new Set(holds.flatMap((row) => row.held.map((each) => each.delivery_id)));
    const { data: deliveries } = await control('listDeliveries', {});
    return !deliveries.some(({ id, status }) => status === 'attempted' && !held.has(id));
  });
}

async function rowOf({ context: { control } }: HoldContext, id: string): Promise<HoldRow | undefined> {
  const { data } = await control('listHolds', {});
  return data.find((each) => each.id === id);
}

function isHolding(row: HoldRow | undefined): boolean {
  return row !== undefined && row.held.length > 0;
}
