import { type Clock, pause } from '../clock/clock.ts';
import { countRequests, type RunContext } from './run-context.ts';
import type { JobRow } from '../runs/run-record.ts';
import { type Step, withoutNumber } from './step.ts';
import type { Rank } from '../runs/paced-runner.ts';

/** So long a client's later answers are held once it has waited out a whole one: milliseconds. */
const LATER_MS = 1000;

/** How long slow answers are held: who has shown once that he waits for all of it is not made to show it each time. */
export class SlowAnswers {
  readonly #ms: number;
  readonly #waitedOut = new Set<string>();

  /** `ms` is how long an answer is held at most. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whatever is tried for the first time may be held for a shorter time; what is looked at again is held for all of it. */
  msFor(step: Step, rank: Rank): number {
    const isShort = rank === 'new' && this.#waitedOut.has(withoutNumber(step.name));
    return isShort ? Math.min(LATER_MS, this.#ms) : this.#ms;
  }

  /** Called for a client that was still there when the time was over. */
  waitedOut(step: Step): void {
    this.#waitedOut.add(withoutNumber(step.name));
  }
}

const LOOK_AGAIN_MS = 10;
/** How long an order may take to have all its takes. */
const GATHER_MS = 15;

/** Ends the takes of each order by hand, the last one first, as long as the run goes on. */
export function endReversed(context: RunContext, clock: Clock): { ready: Promise<unknown>; stop(): Promise<void> } {
  const { control, scope } = context;
  const mode = { mode: 'manual', ...(scope === undefined ? {} : { account_id: scope }) };
  const over = new AbortController();
  const ready = control.put('/progression', mode);
  const work = async () => {
    await ready;
    while (!over.signal.aborted) {
      const jobs = await control.list<JobRow>('/jobs', { account_id: scope });
      const open = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
      if (open.length > 0) await pause(clock, GATHER_MS);
      // The list is the newest first.
      for (const { id } of open)
        await control.post(`/jobs/${id}/finish`, { outcome: 'succeeded' }).catch(() => undefined);
      await pause(clock, LOOK_AGAIN_MS);
    }
  };
  const done = work();
  return {
    ready,
    async stop() {
      over.abort();
      await done;
    },
  };
}

/** How long the app must ask nothing before a run is over, and how long that may take: milliseconds. */
const QUIET_MS = 25;
const LIMIT_MS = 15_000;
const IDLE_SECONDS = 12;

/**
 * Brings a run to its end: what is open is rendered, what is owed is delivered, and what the app does about it is waited
 * for. Answers false where it never comes to rest.
 */
export async function settleRun(context: RunContext, clock: Clock, hasApp: boolean): Promise<boolean> {
  const { control, scope } = context;
  const progression = scope === undefined ? { mode: 'render' } : { mode: null, account_id: scope };
  await control.put('/progression', progression);
  const end = clock.real() + LIMIT_MS;
  let seen = -1;
  while (clock.real() < end) {
    const idle = await control
      .get('/wait', { for: 'idle', account_id: scope, timeout: IDLE_SECONDS })
      .then(() => true)
      .catch(() => false);
    if (!idle) return false;
    if (!hasApp) return true;
    const count = await countRequests(context);
    if (count === seen) return true;
    seen = count;
    await pause(clock, QUIET_MS);
  }
  return false;
}
