import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { type DriftReport, makeDriftReport } from '../../../src/check/service/drift-report.ts';
import { measureHere } from '../../../src/check/service/fresh-emulator.ts';
import { Measurement } from '../../../src/check/service/measure.ts';
import { FREE, PAID } from '../../../src/check/service/plan.ts';
import type { CaseShape } from '../../../src/check/service/shapes.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { WELL_KNOWN_KEY } from '../../../src/engine/accounts/seed.ts';
import { targetOf } from './stand-in.ts';

const clock = new VirtualClock();
const NAME = 'svc-emulator-drift-quick';
const ALL = [...FREE, ...PAID.flat()];
const EMPTY = { status: 200, media: '', headers: {}, fields: {}, facts: [] };

/** The emulator's side of the whole plan, but for the clips of a hundred credits. */
export function emulatorSide(): Promise<ReadonlyMap<string, CaseShape>> {
  const cases = ALL.filter(({ price = 0 }) => price < 100).map(({ id, operation, case: words }) => ({
    ...{ id, operation, case: words, shape: EMPTY },
  }));
  const signal = new AbortController().signal;
  return measureHere(cases, { start: startEmulator, key: WELL_KNOWN_KEY, clock, name: NAME, signal });
}

/** The cases of these operations, and all that they need. */
export function casesOf(operations: readonly string[]): Set<string> {
  const chosen = new Set(['getAccount read', 'listModels read']);
  for (const each of ALL.toReversed()) {
    if (!chosen.has(each.id) && !operations.includes(each.operation) && !operations.includes(each.id)) continue;
    chosen.add(each.id);
    if (each.needs !== undefined) chosen.add(each.needs);
  }
  if (chosen.has('createWebhook third')) for (const nth of ['first', 'second']) chosen.add(`createWebhook ${nth}`);
  return chosen;
}

/** A measurement of some cases, compared with what the emulator has answered before. */
export async function quickRun(
  here: ReadonlyMap<string, CaseShape>,
  { url, key }: { url: string; key: string },
  { only, budget = 0 }: { only?: Set<string>; budget?: number },
): Promise<DriftReport> {
  const there = await new Measurement(targetOf({ url, key }), { budget, name: NAME, ...(only && { only }) }).measure();
  return makeDriftReport({ against: url, there, here, isStrict: false });
}
