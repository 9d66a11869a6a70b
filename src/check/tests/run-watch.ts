import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import type { LieOrder, LieSwitch } from '../../client/lie-relay.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import type { RunContext } from '../runner/run-record.ts';
import type { UnitRow } from './run-evidence.ts';

interface RunWatchParts {
  context: RunContext;
  lies: LieSwitch;
  clock: Clock;
  armed: readonly LieOrder[];
  /** After how many milliseconds a unit counts as one that never ends; undefined while that is unknown. */
  limitOf: ((unit: string) => number) | undefined;
}

const LOOK_MS = 250;
/** How long no test may have begun or ended before nothing else is expected: a runner starts processes between files. */
const QUIET_MS = 5000;

/**
 * Looks at the tests of a run while it goes on. A run is over, whatever still runs in it, when all of that is tests of
 * which all is known: their receiver has refused the lie, or they have taken longer than they may.
 */
export class RunWatch {
  readonly #parts: RunWatchParts;
  readonly #over = new AbortController();
  readonly #ended = new AbortController();
  readonly #hung = new Set<string>();
  #seen = '';
  #since: number;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
    this.#since = parts.clock.real();
  }

  /** Aborted when the run is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The tests that have taken longer than they may. */
  get hung(): ReadonlySet<string> {
    return this.#hung;
  }

  /** Looks again and again until the run is over or `end` is called. */
  async start(): Promise<void> {
    const { clock, context } = this.#parts;
    while (!this.#ended.signal.aborted) {
      await pause(clock, LOOK_MS, this.#ended.signal).catch(() => undefined);
      if (this.#ended.signal.aborted) return;
      const { data } = await context.control('listUnits', {});
      if (this.#isOver(data)) this.#over.abort();
      if (this.#over.signal.aborted) return;
    }
  }

  end(): void {
    this.#ended.abort();
  }

  #isOver(rows: readonly UnitRow[]): boolean {
    const refused = this.#refused();
    // A command is ended at once, and a test when no other is under way.
    if (refused.has(undefined)) return true;
    const open = rows.filter(({ ended }) => ended === null);
    this.#noteHung(open);
    const isKnown = (row: UnitRow) => refused.has(unitKey(row)) || this.#hung.has(unitKey(row));
    return open.length > 0 && open.every(isKnown) && this.#isQuiet(rows, open);
  }

  /** The units whose receivers have refused the lie that they carry; undefined for a command. */
  #refused(): Set<string | undefined> {
    const { armed, lies } = this.#parts;
    const refused = new Set(lies.told().flatMap((told) => (told.refused > 0 ? [told.id] : [])));
    return new Set(armed.filter(({ id }) => refused.has(id)).map(({ unit }) => unit));
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
