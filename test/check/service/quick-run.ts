import { type DriftReport, makeDriftReport } from '../../../src/check/service/drift-report.ts';
import { measureHere } from '../../../src/check/service/fresh-emulator.ts';
import { Measurement } from '../../../src/check/service/measure.ts';
import { FREE, PAID } from '../../../src/check/service/plan.ts';
import type { CaseShape } from '../../../src/check/service/shapes.ts';
import { targetOf } from './stand-in.ts';

const NAME = 'svc-emulator-drift-quick';
const ALL = [...FREE, ...PAID.flat()];
const EMPTY = { status: 200, media: '', headers: {}, fields: {}, facts: [] };

/** The emulator's side of the whole plan, but for the clips of a hundred credits. */
export function emulatorSide(): Promise<ReadonlyMap<string, CaseShape>> {
  const cases = ALL.filter(({ price = 0 }) => price < 100).map(({ id, operation, case: words }) => ({
    ...{ id, operation, case: words, shape: EMPTY },
  }));
  return measureHere(cases, { name: NAME, signal: new AbortController().signal });
}

/** The cases of these operations, or single ones. */
export function casesOf(operations: readonly string[]): string[] {
  return ALL.filter(({ id, operation }) => [id, operation].some((each) => operations.includes(each))).map(
    ({ id }) => id,
  );
}

/** A measurement of some cases, compared with what the emulator has answered before. */
export async function quickRun(
  here: ReadonlyMap<string, CaseShape>,
  { url, key }: { url: string; key: string },
  { only, budget = 0 }: { only?: readonly string[]; budget?: number },
): Promise<DriftReport> {
  const there = await new Measurement(targetOf({ url, key }), { budget, name: NAME, ...(only && { only }) }).measure();
  return makeDriftReport({ against: url, there, here, isStrict: false });
}
