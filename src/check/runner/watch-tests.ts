import { type Clock, waitRealTime } from '../../base/clock/clock.ts';
import { qualifiedTestName } from '../../engine/accounts/tests.ts';
import { type RunContext, type RunRecord, readRunRecord, type TestRow } from './run-record.ts';
import type { RunWatch } from './runner.ts';

interface TestWatch {
  clock: Clock;
  limitOf(test: string): number;
  /** `see` gets the record so far when one of `tests` has ended. It returns true if the result of the run is known. */
  early?: { tests: ReadonlySet<string>; see(record: RunRecord): boolean } | undefined;
}

const LOOK_MS = 250;
/**
 * Tests hang only if none starts or ends for this many milliseconds. Shorter pauses are normal, because a runner starts
 * processes between files.
 */
const QUIET_MS = 5000;

export function watchTests(context: RunContext, { clock, limitOf, early }: TestWatch): RunWatch {
  const [over, ended] = [new AbortController(), new AbortController()];
  const isHung = hangs({ clock, limitOf });
  let isKnown = false;
  let seen = 0;
  const look = async () => {
    while (!ended.signal.aborted) {
      await waitRealTime(clock, LOOK_MS, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      const { data } = await context.control('listTests', {});
      const done = data.filter((row) => row.ended !== null && early?.tests.has(qualifiedTestName(row))).length;
      if (done > seen) isKnown = early?.see(await readRunRecord(context)) ?? false;
      seen = done;
      if (isKnown || isHung(data)) return over.abort();
    }
  };
  const looking = look();
  looking.catch(() => undefined);
  return {
    over: over.signal,
    isKnown: () => isKnown,
    end() {
      ended.abort();
      return looking;
    },
  };
}

function hangs({ clock, limitOf }: Pick<TestWatch, 'clock' | 'limitOf'>) {
  const hung = new Set<string>();
  let last = { seen: '', since: clock.real() };
  return (rows: readonly TestRow[]): boolean => {
    const now = clock.real();
    const open = rows.filter(({ ended }) => ended === null);
    for (const row of open) {
      if (now - Date.parse(row.started) > limitOf(qualifiedTestName(row))) hung.add(qualifiedTestName(row));
    }
    if (open.length === 0 || !open.every((row) => hung.has(qualifiedTestName(row)))) return false;
    const seen = `${rows.length} ${open.length}`;
    if (seen !== last.seen) last = { seen, since: now };
    return now - last.since >= QUIET_MS;
  };
}
