import type { Clock } from '../clock/clock.ts';
import { DEVIATIONS } from './deviation-table.ts';
import { watchHolds } from './held-steps.ts';
import type { KillableApp } from './killable-app.ts';
import type { Stage } from './run-stage.ts';
import { entryKey } from './schedule.ts';
import type { StepMatch } from './step.ts';
import type { Bound } from './world.ts';

export interface CarryOutOptions {
  clock: Clock;
  app: KillableApp | undefined;
  /** How long a slow answer is held, in milliseconds. */
  slowMs: number;
  /** Whether every answer comes a little later. */
  delayed?: boolean | undefined;
}

/** Longer than a client needs to send what it sends at the same time. */
const DELAY_MS = 25;

/** A schedule at work in one run. */
export interface CarriedOut {
  /** Ends what holds messages, and answers the entries whose deviation never came about. */
  end(): Promise<string[]>;
}

/** A rule that was made, by the entry that it carries out. */
interface Made {
  entry: string;
  id: string;
}

/** A rule as it is listed. */
interface RuleRow {
  id: string;
  strikes: number;
  effect: { webhook?: string };
}

/** Makes the rules and holds of a schedule, before its story begins. */
export async function carryOut(bounds: readonly Bound[], stage: Stage, options: CarryOutOptions): Promise<CarriedOut> {
  const made: Made[] = [];
  const ended = new AbortController();
  const watches: (() => Promise<string | undefined>)[] = [];
  if (options.delayed) {
    await stage.control.post('/faults', { match: scoped({}, stage), effect: { delay_ms: DELAY_MS }, times: 0 });
  }
  for (const { entry, step } of bounds) {
    const deviation = DEVIATIONS.find((each) => each.name === entry.deviation && each.at.includes(step.kind));
    if (!deviation) continue;
    const act = deviation.act(step);
    const match = scoped(matchFor(step.match, entry.deviation), stage);
    if ('effect' in act) {
      const { id } = await stage.control.post<{ id: string }>('/faults', { match, effect: act.effect });
      made.push({ entry: entryKey(entry), id });
    } else {
      watches.push(await watchHolds({ entry, step, act, match }, stage, { ...options, signal: ended.signal }));
    }
  }
  return {
    async end() {
      ended.abort();
      const idle = await Promise.all(watches.map((watch) => watch()));
      if (watches.length > 0) await stage.control.delete('/holds');
      const rules = made.length === 0 ? [] : await stage.control.list<RuleRow>('/faults', { account_id: stage.scope });
      for (const { id, effect } of rules) {
        // The story has ended: what was to come when all else is over comes now.
        if (effect.webhook === 'after_all') await stage.control.delete(`/faults/${id}`);
      }
      const struck = new Set(rules.filter(({ strikes }) => strikes > 0).map(({ id }) => id));
      return [
        ...made.filter(({ id }) => !struck.has(id)).map(({ entry }) => entry),
        ...idle.flatMap((each) => each ?? []),
      ];
    },
  };
}

function matchFor(match: StepMatch, deviation: string): StepMatch {
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined ? match : { ...match, take: Number(take) };
}

function scoped(match: StepMatch, { scope }: Stage): StepMatch & { account_id?: string } {
  return scope === undefined ? match : { ...match, account_id: scope };
}
