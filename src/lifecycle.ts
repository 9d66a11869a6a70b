import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ClockState } from './base/clock/clock-marks.ts';
import { VirtualClock } from './base/clock/virtual-clock.ts';
import { Database } from './base/database/database.ts';
import { readSetting } from './base/database/setting-store.ts';
import { overtaken } from './base/errors.ts';
import { seed } from './engine/accounts/accounts.ts';
import { readTimeline } from './engine/journal/journal-record.ts';
import { carryOver } from './engine/snapshots/carry-over-store.ts';
import type { SnapshotRecord } from './engine/snapshots/snapshot-folder.ts';
import { removeAbandonedFolders } from './engine/storage/data-folder.ts';
import type { Context } from './service/http/context.ts';

/**
 * A part with timers, workers, files or a memory of the state, which therefore takes part in its changes. All that a part
 * does at a start, a reset, a restore or a stop is one of these methods; `lifecycleOf` lists the parts.
 */
export interface Component {
  /** Loads the state that there is now, and forgets any other. */
  wake?(): void | Promise<void>;
  /** A stop or a replacement is near; requests still run. */
  warn?(): void | Promise<void>;
  /**
   * Cuts off what runs, `graceMs` of real time after the call, and rejects what waits. Called twice: work that was on its
   * way out may have started something new.
   */
  rest?(graceMs: number): void | Promise<void>;
  /** A reset: forgets also what outlives a restore. */
  renew?(): void | Promise<void>;
  /** The end: nothing stays open, and nothing is planned any more. */
  close?(): void | Promise<void>;
}

/** The components of one emulator in rows: a row needs those above it only, so it wakes after them and rests before them. */
export class Lifecycle {
  readonly #rows: readonly (readonly Component[])[];

  constructor(rows: readonly (readonly Component[])[]) {
    this.#rows = rows;
  }

  async wake(): Promise<void> {
    for (const component of this.#rows.flat()) await component.wake?.();
  }

  async warn(): Promise<void> {
    await Promise.all(this.#rows.flat().map((component) => component.warn?.()));
  }

  async rest(graceMs: number): Promise<void> {
    await this.#restOnce(graceMs);
    await this.#restOnce(0);
  }

  async renew(): Promise<void> {
    for (const component of this.#rows.flat()) await component.renew?.();
  }

  async close(): Promise<void> {
    for (const component of this.#rows.flat().toReversed()) await component.close?.();
  }

  /** The components of one row rest at the same time: they wait for each other. */
  async #restOnce(graceMs: number): Promise<void> {
    for (const row of this.#rows.toReversed()) {
      await Promise.all(row.toReversed().map((component) => component.rest?.(graceMs)));
    }
  }
}

/** Every component of one emulator: start, reset, restore and stop walk this list, and nothing else runs. */
export function lifecycleOf(context: Context, worlds: readonly Component[]): Lifecycle {
  const { clock, database } = context;
  const { files, renderer } = context.storage;
  const { journal } = context.records;
  const timers = { rest: () => clock.clear(), close: () => clock.clear() };
  const time = {
    wake() {
      const kept = readSetting<ClockState>(database, 'clock');
      if (kept) clock.restore(kept);
    },
  };
  return new Lifecycle([
    [timers],
    [{ close: () => database.close() }, { wake: () => seed(context, context.config) }, time],
    [
      {
        wake: () => journal.follow(readTimeline(database)),
        renew: () => journal.renew(),
        close: () => journal.close(),
      },
      { wake: () => context.accounts.keys.forget() },
      context.control.rateLimit ?? {},
      {
        wake: () => files.wake(),
        rest: () => files.settled(),
        renew: () => files.renew(),
        close: () => files.settled(),
      },
    ],
    [{ rest: () => emptyBarrier(context) }],
    [{ rest: () => renderer.interrupt(overtaken()), close: () => renderer.close() }],
    // A move of the clock goes on when a render ends, and so is ended before the renders are.
    [{ rest: timers.rest }],
    [
      context.generation.unanswered,
      context.failures.faults,
      context.failures.fixtures,
      context.records.notices,
      context.generation.jobs,
      context.events.webhooks,
      context.control.flows,
      context.events.inbox,
    ],
    worlds,
  ]);
}

/** Counts, beside an emulator, what a whole run spends and uses. */
export interface Tally {
  /** Counts from now on. */
  attach(context: Context): void;
  /** The state is about to be replaced: what was spent in it counts. */
  keep(): void;
  /** The state is another one: what was spent in it before does not count. */
  begin(): void;
}

/** One emulator as it is composed: the context of its operations, and what only start and stop use. */
export interface Composition {
  readonly context: Context;
  readonly lifecycle: Lifecycle;
  readonly tally: Tally | undefined;
}

/** Requests that are under way are waited for, so that each meets one state only [I190]. */
async function emptyBarrier({ control: { barrier }, log }: Context): Promise<void> {
  const lost = await barrier.emptied();
  if (lost > 0) log.error({ lost }, 'requests did not end when the state was replaced');
}

/** How long a delivery in flight may still take when the emulator stops, in real milliseconds: a stop takes 5 s at most. */
const GRACE_MS = 1000;

/** Closes what was composed. */
export function dismantle({ context, lifecycle }: Composition): Promise<void> {
  return context.control.stateLock.run(async () => {
    await lifecycle.rest(GRACE_MS);
    await lifecycle.close();
  });
}

/** Removes in the background what a crash, or the state before this one, left on the disk. */
export function tidy({ storage: { files }, log, config, clock }: Context): void {
  const work = config.ephemeral ? [files.sweep(), removeAbandonedFolders(clock.real())] : [files.sweep()];
  Promise.all(work).catch((error: unknown) => log.error({ error }, 'the data folder could not be tidied'));
}

/** Back to the seeded state: a new database forgets everything at once. */
export function reset(composition: Composition): Promise<void> {
  const { context, lifecycle } = composition;
  return context.control.stateLock.run(async () => {
    const file = context.storage.files.scratchPath();
    await makeSeeded(context, file).catch((error: unknown) => {
      for (const path of withLog(file)) rmSync(path, { force: true });
      throw error;
    });
    await replaceState(composition, file, { last: () => lifecycle.renew() });
  });
}

/** Goes on with a snapshot, of which `file` is the closed database: ids that were given out until now stay taken. */
export function restore(composition: Composition, file: string, snapshot: SnapshotRecord): Promise<void> {
  const { context } = composition;
  const first = (at: number) => carryOver({ left: context.database, file, snapshot, at });
  return replaceState(composition, file, { first, last: async () => tidy(context) });
}

/** What is done at a change of the state: to the new one before it is in use, and with it before requests go on. */
interface Change {
  /** `at`: the machine's time at which the old state was closed, in milliseconds. */
  first?: (at: number) => Promise<void>;
  last: () => Promise<void>;
}

/**
 * Goes on with the state of a closed database file, which is moved into the data folder: reset and restore both go this
 * way. Requests wait meanwhile; what runs is stopped first and leaves no trace [I190]. A failure leaves the old state
 * running.
 */
async function replaceState(
  { context, lifecycle, tally }: Composition,
  file: string,
  { first, last }: Change,
): Promise<void> {
  const { clock, database } = context;
  const { barrier } = context.control;
  const { files } = context.storage;
  const before = files.scratchPath();
  // Should the old state go on, requests that are interrupted get back what they are owed.
  await lifecycle.warn();
  try {
    await barrier.closedFor(async () => {
      const at = clock.real();
      try {
        await lifecycle.rest(0);
        await first?.(at);
        tally?.keep();
        database.replace(file, before);
        tally?.begin();
      } catch (error) {
        await lifecycle.wake();
        throw error;
      }
      await lifecycle.wake().catch(async (error: unknown) => {
        // The new state could not be loaded, as on a full disk: the old one is.
        await lifecycle.rest(0);
        database.replace(before, file);
        await lifecycle.wake();
        throw error;
      });
      await last();
    });
  } finally {
    // Not waited for: what cannot be removed now is removed at the next start.
    for (const path of [file, before].flatMap(withLog)) rm(path, { force: true }).catch(() => undefined);
  }
}

/** A database file and what SQLite keeps beside it. */
const withLog = (file: string) => [file, `${file}-wal`, `${file}-shm`];

/** What a first start finds, in a closed file of its own. */
async function makeSeeded({ random, accounts, config }: Context, file: string): Promise<void> {
  const database = new Database({ file, durable: false, clock: new VirtualClock() });
  try {
    await seed({ database, random, accounts }, config);
  } finally {
    database.close();
  }
}

/** Settles what is due and lets runs go on with it, as far as they get; runs that start meanwhile are not waited for. */
export async function settleDue({ generation: { jobs }, control: { flows } }: Context): Promise<void> {
  const newest = flows.newest();
  for (let before: string | undefined; before !== flows.progressKey(newest); ) {
    before = flows.progressKey(newest);
    await flows.settled(newest);
    await jobs.settleDue();
    // What waited for a render goes on with it.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The clock was moved to a time at which something fell due: the runs that waited for it go on, as far as they get. */
export async function continueRuns(context: Context): Promise<void> {
  if (context.control.flows.running() > 0) await settleDue(context);
}
