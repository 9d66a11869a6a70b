import { rm } from 'node:fs/promises';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Database } from '../database/database.ts';
import type { Parts } from './assemble.ts';
import { seed } from './seed.ts';

/** How long a delivery in flight may still take when the emulator stops, in real milliseconds: a stop takes 5 s at most. */
const GRACE = 1000;

/** What goes on with another state. */
type Replaced = Pick<Parts, 'database' | 'files' | 'barrier' | 'lives' | 'log' | 'tally'>;
/** What a first state is made of. */
type Seeds = Pick<Parts, 'accounts' | 'config' | 'random'>;

/** Removes in the background what a crash, or the state before this one, left on the disk. */
export function tidy({ files, log }: Pick<Parts, 'files' | 'log'>): void {
  files.sweep().catch((error: unknown) => log.error({ error }, 'the data folder could not be tidied'));
}

/** Back to the seeded state: a new database is everything forgotten at once. */
export function reset(parts: Replaced, { stateLock, ...seeds }: Seeds & Pick<Parts, 'stateLock'>): Promise<void> {
  const { files, lives } = parts;
  return stateLock.run(async () => {
    const file = files.scratchPath();
    await makeSeeded(seeds, file);
    await replaceState(parts, file, () => lives.renew());
  });
}

/**
 * Goes on with the state of a closed database file, which is moved to its place: the one way of a reset and of a
 * restore. Requests wait meanwhile; what runs is stopped first and leaves no trace [I190]. `then` is done before they
 * go on. A failure leaves the old state running.
 */
export async function replaceState(
  parts: Replaced,
  file: string,
  then: () => Promise<void> = async () => tidy(parts),
): Promise<void> {
  const { barrier, database, files, lives } = parts;
  const before = files.scratchPath();
  // Should the old state go on, what is owed to those who are told to end is given back.
  await lives.warn();
  try {
    await barrier.closedFor(async () => {
      try {
        await lives.rest(0);
        parts.tally?.keep();
        await database.replace(file, before);
        parts.tally?.begin();
      } catch (error) {
        await lives.wake();
        throw error;
      }
      await lives.wake().catch((error: unknown) => goBack(parts, { before, after: file }, error));
      await then();
    });
  } finally {
    // Nobody waits for it, and what cannot be removed now is at the next start.
    for (const path of [file, before]) rm(path, { force: true }).catch(() => undefined);
  }
}

/** The new state could not be taken up, as on a full disk: the old one is. */
async function goBack(
  parts: Pick<Parts, 'database' | 'lives'>,
  { before, after }: { before: string; after: string },
  error: unknown,
): Promise<never> {
  await parts.lives.rest(0);
  await parts.database.replace(before, after);
  await parts.lives.wake();
  throw error;
}

/** What a first start finds, in a closed file of its own. */
async function makeSeeded({ random, accounts, config }: Seeds, file: string): Promise<void> {
  const database = new Database({ file, durable: false, clock: new VirtualClock() });
  try {
    await seed({ database, random, accounts }, config);
  } finally {
    database.close();
  }
}

/** Settles what is due and lets runs go on with it, as far as they get; runs that begin meanwhile are not waited for. */
export async function settleDue({ processor, flows }: Pick<Parts, 'processor' | 'flows'>): Promise<void> {
  const newest = flows.newest();
  for (let before: string | undefined; before !== flows.stand(newest); ) {
    before = flows.stand(newest);
    await flows.settled(newest);
    await processor.scheduler.settleDue();
    // Whoever waited for a render takes it up.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** At a time where a moved clock stands: the runs that waited for it go on from there, as far as they get. */
export async function goOnWithRuns(parts: Pick<Parts, 'processor' | 'flows'>): Promise<void> {
  if (parts.flows.running() > 0) await settleDue(parts);
}

/** Closes what was assembled. */
export function dismantle({ lives, stateLock }: Pick<Parts, 'lives' | 'stateLock'>): Promise<void> {
  return stateLock.run(async () => {
    await lives.rest(GRACE);
    await lives.close();
  });
}
