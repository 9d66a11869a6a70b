import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { type RunContext, type RunRecord, readRecord } from '../runner/run-record.ts';
import type { Preparation } from '../runner/runner.ts';

/** A suite that takes less, in milliseconds, has ended before much of it is read. */
const LONG_MS = 2000;
const LOOK_MS = 500;

interface Watching {
  clock: Clock;
  /** The tests that are waited for, by their keys. */
  units: ReadonlySet<string>;
  /** Called with what is on record each time that more of them have ended; answers whether the run has shown what it is for. */
  see(record: RunRecord): boolean;
}

/** Whether it is worth while to read a run of a suite, which takes so many milliseconds, before its end. */
export function isLong({ ms }: { ms: number }): boolean {
  return ms >= LONG_MS;
}

/** Looks at some tests of a run while it goes on, and ends the run when it has shown what it is for. */
export function watchTests(context: RunContext, { clock, units, see }: Watching): Preparation {
  const [known, ended] = [new AbortController(), new AbortController()];
  const look = async () => {
    for (let seen = 0; !ended.signal.aborted; ) {
      await pause(clock, LOOK_MS, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      const { data } = await context.control('listUnits', {});
      const over = data.filter((row) => row.ended !== null && units.has(unitKey(row))).length;
      if (over > seen && see(await readRecord(context))) return known.abort();
      seen = over;
    }
  };
  const looking = look();
  looking.catch(() => undefined);
  return {
    upAgain: async () => {},
    end: () => {
      ended.abort();
      return looking;
    },
    over: known.signal,
    isKnown: () => known.signal.aborted,
  };
}
