import { type Clock, pause } from '../../base/clock/clock.ts';
import type { RunContext } from '../runner/run-record.ts';
import type { Preparation, Rank, RunOrder, RunSite } from '../runner/runner.ts';
import { FAULTS } from './fault-table.ts';
import { type AppliedRun, type HeldWatch, watchHolds } from './held-steps.ts';
import { type Bound, takeOf } from './scenario.ts';
import { type Step, type StepMatch, withoutNumber } from './step.ts';

export interface FaultRunOrder extends RunOrder {
  bounds: readonly Bound[];
  /** If two takes can end in either order, the last one ends first. */
  reversed?: boolean;
  /** Delays every response a little, so that parallel requests are seen as parallel. */
  delayed?: boolean;
  /** Every request to the service fails. */
  dead?: boolean;
}

export interface ArmingParts {
  clock: Clock;
  slow: SlowResponses;
}

/** Creates the rules and holds before the command begins. */
export async function armFaults(
  { bounds, delayed, dead, reversed, rank = 'next' }: FaultRunOrder,
  { context, app }: RunSite,
  { clock, slow }: ArmingParts,
): Promise<Preparation> {
  const ended = new AbortController();
  const run = { context, app, clock, slow, rank, signal: ended.signal };
  if (delayed) {
    await context.control('createFault', { match: scoped({}, context), effect: { delay_ms: DELAY_MS }, times: 0 });
  }
  if (dead) await context.control('createFault', { match: {}, effect: { status: 500 }, times: 0 });
  const armed = await arm(bounds, run);
  const reversing = reversed ? await endReversed(run) : undefined;
  return {
    upAgain: armed.upAgain,
    async end() {
      ended.abort();
      await reversing?.over;
      await armed.end();
    },
    async read() {
      if (bounds.length > 0) await context.control('deleteFaults', { account_id: context.scope });
    },
  };
}

type Armed = Required<Pick<Preparation, 'upAgain' | 'end'>>;

async function arm(bounds: readonly Bound[], run: AppliedRun): Promise<Armed> {
  const { control, scope } = run.context;
  const watches: HeldWatch[] = [];
  /** Rules that deliver something after everything else. */
  const lasts: string[] = [];
  for (const { entry, step } of bounds) {
    const fault = FAULTS.find((each) => each.name === entry.fault && each.at.includes(step.kind));
    if (!fault) continue;
    const act = fault.act(step);
    const take = takeOf(entry.fault);
    const own = take === undefined ? step.match : { ...step.match, take: Number(take) };
    const match = scoped({ ...own, ...(step.test !== undefined && { test: step.test }) }, run.context);
    if ('effect' in act) {
      const { id } = await control('createFault', { match, ...act });
      if (act.effect.webhook === 'after_all') lasts.push(id);
    } else {
      watches.push(await watchHolds({ step, act, match }, run));
    }
  }
  return {
    upAgain: async () => void (await Promise.all(watches.map((watch) => watch.upAgain()))),
    async end() {
      await Promise.all(watches.map(({ over }) => over));
      if (watches.length > 0) await control('deleteHolds', { account_id: scope });
      for (const id of lasts) await control('deleteFault', { id });
    },
  };
}

/** Longer than a client needs to send parallel requests, even on a busy machine. */
const DELAY_MS = 75;

/** The time for an order to get all its takes. Milliseconds. */
const GATHER_MS = 15;
const LOOK_AT_JOBS_MS = 10;

/** Ends the takes of each order by hand, last one first, until the signal. Resolves once the watch has started. */
async function endReversed({ context, clock, signal }: AppliedRun): Promise<{ over: Promise<void> }> {
  const { control, scope } = context;
  await control('setProgression', { mode: 'manual', ...scoped({}, context) });
  const work = async () => {
    while (!signal.aborted) {
      const { data: jobs } = await control('listJobs', { account_id: scope });
      const open = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
      if (open.length > 0) await pause(clock, GATHER_MS);
      for (const { id } of open) await control('finishJob', { id, outcome: 'succeeded' }).catch(() => undefined);
      await pause(clock, LOOK_AT_JOBS_MS);
    }
  };
  return { over: work() };
}

function scoped(match: StepMatch, { scope }: RunContext): StepMatch & { account_id?: string } {
  return scope === undefined ? match : { ...match, account_id: scope };
}

/** The hold time for a client that has already waited for a whole slow response. Milliseconds. */
const LATER_MS = 1000;

/** Holds slow responses for a shorter time if the client has waited for a whole one before. */
export class SlowResponses {
  readonly #ms: number;
  readonly #waitedOut = new Set<string>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** A first attempt at a step may be held for less. A confirmation is held for the full time. */
  msFor(step: Step, rank: Rank): number {
    const isShort = rank === 'new' && this.#waitedOut.has(withoutNumber(step.name));
    return isShort ? Math.min(LATER_MS, this.#ms) : this.#ms;
  }

  waitedOut(step: Step): void {
    this.#waitedOut.add(withoutNumber(step.name));
  }
}
