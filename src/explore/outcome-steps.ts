import { DEVIATIONS } from './deviation-table.ts';
import { type Entry, isOutcome, type Schedule } from './schedule.ts';
import type { Step } from './step.ts';

/** Every outcome in which one unit fails, as entries. */
export function singleOutcomes(steps: readonly Step[]): Entry[] {
  return steps.flatMap((step) =>
    DEVIATIONS.filter((each) => each.isOutcome && each.at.includes(step.kind) && (each.allows?.(step) ?? true)).map(
      ({ name }) => ({ step: step.name, deviation: name }),
    ),
  );
}

/** The steps of a plain run as they are under a schedule's outcome: what failed is announced as failed. */
export function underOutcome(steps: readonly Step[], schedule: Schedule): Step[] {
  const failing = schedule.filter(isOutcome);
  if (failing.length === 0) return [...steps];
  const counts = new Map<string, number>();
  const named = steps.map((step) => {
    if (step.kind !== 'delivery') return step;
    const base = step.name.replace(/^(delivery \S+) #\d+/, '$1');
    const type = failing.some((entry) => isAnnouncedBy(entry, step)) ? base.replace('.succeeded', '.failed') : base;
    const n = (counts.get(type) ?? 0) + 1;
    counts.set(type, n);
    return { ...step, name: type.replace(/^(delivery \S+)/, `$1 #${n}`) };
  });
  return named.filter((step) => !isGone(step, failing));
}

function isAnnouncedBy({ step, deviation }: Entry, { about, match }: Step): boolean {
  if (!about.includes(step)) return false;
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined || Number(take) === match.take;
}

/** Nobody reads the file of an order that has none. */
function isGone({ kind, about }: Step, failing: Schedule): boolean {
  return kind === 'cdn' && failing.some(({ step, deviation }) => about.includes(unitOf(step, deviation)));
}

/** `job music #1 take 2` where that take alone fails. */
function unitOf(step: string, deviation: string): string {
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined ? step : `${step} take ${take}`;
}
