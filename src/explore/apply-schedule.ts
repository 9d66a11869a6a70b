import type { Clock } from '../clock/clock.ts';
import { DEVIATIONS } from './deviation-table.ts';
import { type HeldWatch, watchHolds } from './held-steps.ts';
import type { KillableApp } from '../runs/ports-and-processes.ts';
import type { RunContext } from './run-context.ts';
import type { SlowAnswers } from './run-end.ts';
import type { Bound } from '../runs/runner.ts';
import type { StepMatch } from './step.ts';
import type { Rank } from '../runs/paced-runner.ts';

export interface CarryOutOptions {
  clock: Clock;
  app: KillableApp | undefined;
  slow: SlowAnswers;
  rank?: Rank | undefined;
  /** Whether every answer comes a little later. */
  delayed?: boolean | undefined;
}

/** Longer than a client needs to send what it sends at the same time, also where others keep the machine busy. */
const DELAY_MS = 75;

/** A schedule at work in one run. */
export interface CarriedOut {
  /** Resolves when the app is up, where it is being killed and started again now. */
  upAgain(): Promise<void>;
  /** Ends what holds messages. */
  end(): Promise<void>;
}

/** Makes the rules and holds of a schedule, before its story begins. */
export async function perform(
  bounds: readonly Bound[],
  context: RunContext,
  options: CarryOutOptions,
): Promise<CarriedOut> {
  const { rank = 'next' } = options;
  const ended = new AbortController();
  const watches: HeldWatch[] = [];
  /** Rules by which something comes when all else is over. */
  const lasts: string[] = [];
  if (options.delayed) {
    await context.control.post('/faults', { match: scoped({}, context), effect: { delay_ms: DELAY_MS }, times: 0 });
  }
  for (const { entry, step } of bounds) {
    const deviation = DEVIATIONS.find((each) => each.name === entry.deviation && each.at.includes(step.kind));
    if (!deviation) continue;
    const act = deviation.act(step);
    const match = scoped(matchFor(step.match, entry.deviation), context);
    if ('effect' in act) {
      const { id } = await context.control.post<{ id: string }>('/faults', { match, effect: act.effect });
      if (act.effect.webhook === 'after_all') lasts.push(id);
    } else {
      watches.push(await watchHolds({ step, act, match }, context, { ...options, rank, signal: ended.signal }));
    }
  }
  return {
    async upAgain() {
      await Promise.all(watches.map((watch) => watch.upAgain()));
    },
    async end() {
      ended.abort();
      await Promise.all(watches.map(({ over }) => over));
      if (watches.length > 0) await context.control.delete('/holds', { account_id: context.scope });
      // The story has ended: what was to come when all else is over comes now.
      for (const id of lasts) await context.control.delete(`/faults/${id}`);
    },
  };
}

function matchFor(match: StepMatch, deviation: string): StepMatch {
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined ? match : { ...match, take: Number(take) };
}

function scoped(match: StepMatch, { scope }: RunContext): StepMatch & { account_id?: string } {
  return scope === undefined ? match : { ...match, account_id: scope };
}
