import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import type { RunContext, UnitRow } from './run-record.ts';
import type { Preparation, RunSite } from './runner.ts';
import { NO_UNITS, UnitRecords, type UnitsOnRecord } from './unit-records.ts';

/** What is watched of the tests of a run. */
interface WatchedUnits {
  /** The units that carry something, whose records are read; empty: all. */
  carrying: ReadonlySet<string>;
  /** After how many milliseconds a unit counts as one that never ends; undefined while that is unknown. */
  limitOf: ((unit: string) => number) | undefined;
  clock: Clock;
}

/** The tests of one run: watched while it goes on, and read at its end. */
export class UnitsOfRun {
  /** What was on record of them; read with the run. */
  found: UnitsOnRecord = NO_UNITS;
  readonly #watched: WatchedUnits;
  #watch: UnitWatch | undefined;

  constructor(watched: WatchedUnits) {
    this.#watched = watched;
  }

  /** The tests that have taken longer than they may. */
  get hung(): ReadonlySet<string> {
    return this.#watch?.hung ?? new Set();
  }

  /** Begins to watch a run that is being prepared. `known`: of which units all is known while they still run. */
  begin({ context, lies }: RunSite, known?: UnitWatchParts['known']): Preparation {
    const records = new UnitRecords(context, this.#watched.carrying);
    if (lies) lies.onReplace = () => records.keep();
    this.#watch = new UnitWatch({ ...this.#watched, context, known });
    const read = async () => {
      this.found = await records.read();
    };
    return { ...this.#watch.begin(), read };
  }

  end(): void {
    this.#watch?.end();
  }
}

interface UnitWatchParts extends Omit<WatchedUnits, 'carrying'> {
  context: RunContext;
  /** The units of which all is known while they still run; undefined stands for a whole command. */
  known: (() => ReadonlySet<string | undefined>) | undefined;
}

const LOOK_MS = 250;
/** For so long no test starts or ends before nothing else is expected: a runner starts processes between files. */
const QUIET_MS = 5000;

/**
 * Looks at the tests of a run while it goes on. A run is over, whatever still runs in it, when all of that is tests of
 * which all is known, or which have taken longer than they may.
 */
export class UnitWatch {
  readonly #parts: UnitWatchParts;
  readonly #over = new AbortController();
  readonly #ended = new AbortController();
  readonly #hung = new Set<string>();
  #seen = '';
  #since: number;

  constructor(parts: UnitWatchParts) {
    this.#parts = parts;
    this.#since = parts.clock.real();
  }

  /** The tests that have taken longer than they may. */
  get hung(): ReadonlySet<string> {
    return this.#hung;
  }

  /** Looks again and again until the run is over or it is ended. */
  begin(): Preparation {
    const watching = this.#look();
    const end = () => {
      this.end();
      return watching;
    };
    return { upAgain: async () => {}, end, over: this.#over.signal };
  }

  end(): void {
    this.#ended.abort();
  }

  async #look(): Promise<void> {
    const { clock, context } = this.#parts;
    while (!this.#ended.signal.aborted) {
      await pause(clock, LOOK_MS, this.#ended.signal).catch(() => undefined);
      if (this.#ended.signal.aborted) return;
      const { data } = await context.control('listUnits', {});
      if (this.#isOver(data)) this.#over.abort();
      if (this.#over.signal.aborted) return;
    }
  }

  #isOver(rows: readonly UnitRow[]): boolean {
    const known = this.#parts.known?.() ?? new Set();
    // A command is ended at once, and a test when no other is under way.
    if (known.has(undefined)) return true;
    const open = rows.filter(({ ended }) => ended === null);
    this.#noteHung(open);
    const isKnown = (row: UnitRow) => known.has(unitKey(row)) || this.#hung.has(unitKey(row));
    return open.length > 0 && open.every(isKnown) && this.#isQuiet(rows, open);
  }

  #noteHung(open: readonly UnitRow[]): void {
    const { clock, limitOf } = this.#parts;
    if (!limitOf) return;
    for (const row of open) {
      if (clock.real() - Date.parse(row.started) > limitOf(unitKey(row))) this.#hung.add(unitKey(row));
    }
  }

  #isQuiet(rows: readonly UnitRow[], open: readonly UnitRow[]): boolean {
    const now = this.#parts.clock.real();
    const seen = `${rows.length} ${open.length}`;
    if (seen !== this.#seen) this.#since = now;
    this.#seen = seen;
    return now - this.#since >= QUIET_MS;
  }
}
