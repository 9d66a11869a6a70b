import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { yieldToEventLoop } from './base/clock/real-globals.ts';
import { type ClockState, VirtualClock } from './base/clock/virtual-clock.ts';
import { Database } from './base/database/database.ts';
import { readSetting } from './base/database/id-store.ts';
import { stateReplacedError } from './base/errors.ts';
import { seedState } from './engine/accounts/accounts.ts';
import { carryOverIdNumbers } from './engine/snapshots/carry-over-store.ts';
import { removeAbandonedFolders } from './engine/storage/data-folder.ts';
import type { Context } from './service/http/context.ts';

/** A part with timers, workers, files or cached state. `createLifecycle` lists the parts. */
export interface Component {
  /** Loads the current state, and forgets an earlier one. */
  start?(): void | Promise<void>;
  /** Called before a stop or a change of state, while requests still run. */
  beforeStop?(): void | Promise<void>;
  /**
   * Interrupts running work, at once or after `graceMs` of real time. Called twice, because work that ends may start
   * new work.
   */
  stop?(graceMs: number): void | Promise<void>;
  /** Called at a reset, but not at a restore: removes what a restore keeps. */
  reset?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

/** Starts and stops components. A row needs only the rows above it, so it starts after them and stops before them. */
export class Lifecycle {
  readonly #rows: readonly (readonly Component[])[];

  constructor(rows: readonly (readonly Component[])[]) {
    this.#rows = rows;
  }

  async start(): Promise<void> {
    for (const component of this.#rows.flat()) await component.start?.();
  }

  async beforeStop(): Promise<void> {
    await Promise.all(this.#rows.flat().map((component) => component.beforeStop?.()));
  }

  async stop(graceMs: number): Promise<void> {
    await this.#stopOnce(graceMs);
    await this.#stopOnce(0);
  }

  async reset(): Promise<void> {
    for (const component of this.#rows.flat()) await component.reset?.();
  }

  async close(): Promise<void> {
    for (const component of this.#rows.flat().toReversed()) await component.close?.();
  }

  /** The components of a row may wait for each other, so they stop together. */
  async #stopOnce(graceMs: number): Promise<void> {
    for (const row of this.#rows.toReversed()) {
      await Promise.all(row.toReversed().map((component) => component.stop?.(graceMs)));
    }
  }
}

export function createLifecycle(context: Context, worlds: readonly Component[]): Lifecycle {
  const { clock, database } = context;
  const { files, renderer } = context.storage;
  const { journal } = context.records;
  const timers = { stop: () => clock.clear(), close: () => clock.clear() };
  const time = {
    start() {
      const kept = readSetting<ClockState>(database, 'clock');
      if (kept) clock.restore(kept);
    },
  };
  return new Lifecycle([
    [timers],
    [{ close: () => database.close() }, { start: () => seedState(context, context.config) }, time],
    [
      { reset: () => journal.reset(), close: () => journal.close() },
      { start: () => context.accounts.keys.forget() },
      context.control.rateLimit ?? {},
      {
        start: () => files.start(),
        stop: () => files.settled(),
        reset: () => files.reset(),
        close: () => files.settled(),
      },
    ],
    [{ stop: () => emptyBarrier(context) }],
    [{ stop: () => renderer.interrupt(stateReplacedError()), close: () => renderer.close() }],
    // Ends requests that wait for a time, so that the barrier need not wait for them.
    [{ stop: timers.stop }],
    [
      context.generation.unanswered,
      context.failures.rules,
      context.failures.fixtures,
      context.records.notices,
      context.generation.jobs,
      context.events.webhooks,
      context.control.flows,
      context.events.inboxes,
    ],
    worlds,
    // Ends moves of the clock before the renders are interrupted, because a move continues when a render ends.
    [{ stop: () => clock.endMoves() }],
  ]);
}

/** Counts the usage of a whole run of `exec`, even over a reset or a restore. */
export interface RunUsageCounter {
  attach(context: Context): void;
  keep(): void;
  /** Called after the state is replaced. What the new state contains already does not count. */
  begin(): void;
}

export interface Composition {
  readonly context: Context;
  readonly lifecycle: Lifecycle;
  readonly tally: RunUsageCounter | undefined;
}

/** Waits for running requests, so that each one sees only one state [I190]. Logs an error if some do not end. */
async function emptyBarrier({ control: { barrier }, log }: Context): Promise<void> {
  const lost = await barrier.emptied();
  if (lost > 0) log.error({ lost }, 'requests did not end when the state was replaced');
}

/** How long deliveries in flight may take at a stop, in real milliseconds. */
const GRACE_MS = 1000;

export function closeComposition({ context, lifecycle }: Composition): Promise<void> {
  return context.control.stateLock.run(async () => {
    await lifecycle.stop(GRACE_MS);
    await lifecycle.close();
  });
}

export function removeLeftoverFiles({ storage: { files }, log, config }: Context): void {
  const work = config.ephemeral ? [files.sweep(), removeAbandonedFolders()] : [files.sweep()];
  Promise.all(work).catch((error: unknown) => log.error({ error }, 'the data folder could not be tidied'));
}

export function resetState(composition: Composition): Promise<void> {
  const { context, lifecycle } = composition;
  return context.control.stateLock.run(async () => {
    const file = context.storage.files.scratchPath();
    await makeSeeded(context, file).catch((error: unknown) => {
      for (const path of withLog(file)) rmSync(path, { force: true });
      throw error;
    });
    await replaceState(composition, file, { last: () => lifecycle.reset() });
  });
}

/** Restores a snapshot. `file` is its closed database. Ids that were used are not used again. */
export function restoreState(composition: Composition, file: string, journal: string): Promise<void> {
  const { context } = composition;
  return replaceState(composition, file, {
    first: () => carryOverIdNumbers(context.database, file),
    async last() {
      // Lets other work run: replacing the state took tens of milliseconds, and so does the start of the journal's copy.
      await yieldToEventLoop();
      await context.records.journal.restore(journal);
      removeLeftoverFiles(context);
    },
  });
}

/** `first` changes the new state before it is in use, and `last` follows before requests continue. */
interface Change {
  first?: () => Promise<void>;
  last: () => Promise<void>;
}

/**
 * Replaces the state by that in a closed database file, which is moved into the data folder. Requests that use the
 * state wait, and running work is stopped first. If the new state cannot be loaded, the old one stays [I190].
 */
async function replaceState(
  { context, lifecycle, tally }: Composition,
  file: string,
  { first, last }: Change,
): Promise<void> {
  const { database } = context;
  const { barrier } = context.control;
  const { files } = context.storage;
  const before = files.scratchPath();
  const replaceDatabase = (next: string, kept: string) => {
    tally?.keep();
    try {
      database.replace(next, kept);
    } finally {
      tally?.begin();
    }
  };
  // Requests that are interrupted from now on keep a record, so a failed restore can refund them.
  await lifecycle.beforeStop();
  try {
    await barrier.closedFor(async () => {
      try {
        await lifecycle.stop(0);
        await first?.();
        replaceDatabase(file, before);
      } catch (error) {
        await lifecycle.start();
        throw error;
      }
      await lifecycle.start().catch(async (error: unknown) => {
        // The new state could not be loaded, for example because the disk is full.
        await lifecycle.stop(0);
        replaceDatabase(before, file);
        await lifecycle.start();
        throw error;
      });
      await last();
    });
  } finally {
    // The next start tries again to remove a file that is still in use.
    for (const path of [file, before].flatMap(withLog)) rm(path, { force: true }).catch(() => undefined);
  }
}

const withLog = (file: string) => [file, `${file}-wal`, `${file}-shm`];

async function makeSeeded({ random, accounts, config }: Context, file: string): Promise<void> {
  const database = new Database({ file, durable: false, clock: new VirtualClock() });
  try {
    await seedState({ database, random, accounts }, config);
  } finally {
    database.close();
  }
}

/**
 * Continues the flow runs until each has ended or waits, and ends the jobs that are due, until nothing changes. Does
 * not wait for runs that start later.
 */
export async function finishDueWork({ generation: { jobs }, control: { flows } }: Context): Promise<void> {
  const newest = flows.newest();
  for (let before: string | undefined; before !== flows.progressKey(newest); ) {
    before = flows.progressKey(newest);
    await flows.settled(newest);
    await jobs.endDue();
    // Lets runs that waited for a render continue.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function finishDueWorkIfFlowsRun(context: Context): Promise<void> {
  if (context.control.flows.running() > 0) await finishDueWork(context);
}
