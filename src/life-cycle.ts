import { rm } from 'node:fs/promises';
import type { Parts } from './assemble.ts';
import type { ClockState } from './clock/clock.ts';
import { VirtualClock } from './clock/virtual-clock.ts';
import { Database } from './database/database.ts';
import { readSetting } from './database/setting-store.ts';
import { overtaken } from './errors.ts';
import { seed } from './seed.ts';

/** How long a delivery in flight may still take when the emulator stops, in real milliseconds: a stop takes 5 s at most. */
const GRACE = 1000;

/** Seeds an empty database, then takes up what the last run left: clock, jobs, deliveries, runs. */
export async function wake(parts: Parts): Promise<void> {
  const { config, clock, database, desk, budgets, faults, webhooks, unanswered } = parts;
  const { fixtures, flows } = parts;
  await seed(parts, config);
  const kept = readSetting<ClockState>(database, 'clock');
  if (kept) clock.restore(kept);
  await unanswered.wake();
  budgets.load();
  faults.load();
  await fixtures.start();
  desk.runner.restart();
  await desk.resume();
  await webhooks.start();
  flows.start();
}

/** Removes in the background what a crash, or the state before this one, left on the disk. */
export function tidy({ files, log }: Parts): void {
  files.sweep().catch((error: unknown) => log.error({ error }, 'the data folder could not be tidied'));
}

/** Cuts off what runs in the background; what was under way is taken up by the next `wake`. */
export async function rest(parts: Parts, graceMs: number): Promise<void> {
  const { desk, faults, flows, webhooks } = parts;
  faults.forget();
  await Promise.all([flows.stop(), desk.runner.stop(), webhooks.stop(graceMs)]);
  dismiss(parts);
}

/** Whoever waits is told that there is nothing to wait for any more. */
function dismiss({ desk, settlement, notices }: Parts): void {
  for (const place of [settlement, desk.agenda, notices]) place.forget();
}

/** Back to the seeded state: a new database is everything forgotten at once. */
export function reset(parts: Parts): Promise<void> {
  const { turns, files, fixtures, journal, record, inbox } = parts;
  return turns.take(async () => {
    const file = files.scratchPath();
    await makeSeeded(parts, file);
    await replaceState(parts, file, async () => {
      journal.renew();
      record.renew();
      inbox.forget();
      await files.clear();
      await fixtures.keepFiles();
    });
  });
}

/**
 * Goes on with the state of a closed database file, which is moved to its place: the one way of a reset and of a
 * restore. Requests wait meanwhile; what runs is stopped first and leaves no trace [I190]. `then` is done before they
 * go on. A failure leaves the old state running.
 */
export async function replaceState(
  parts: Parts,
  file: string,
  then: () => Promise<void> = async () => tidy(parts),
): Promise<void> {
  const { gate, database, demo, files, unanswered } = parts;
  const before = files.scratchPath();
  await demo.pause();
  // Should the old state go on, what is owed to those who are told to end is given back.
  unanswered.stop();
  try {
    await gate.closedFor(async () => {
      try {
        await halt(parts);
        parts.tally?.keep();
        await database.replace(file, before);
        parts.tally?.begin();
      } catch (error) {
        await goOn(parts);
        throw error;
      }
      await goOn(parts).catch((error: unknown) => goBack(parts, { before, after: file }, error));
      await then();
    });
  } finally {
    demo.resume();
    // Nobody waits for it, and what cannot be removed now is at the next start.
    for (const path of [file, before]) rm(path, { force: true }).catch(() => undefined);
  }
}

/** Stops all that runs, and waits for those who are inside the gate. */
async function halt(parts: Parts): Promise<void> {
  const { clock, files, gate, log, renderer } = parts;
  const resting = rest(parts, 0);
  renderer.interrupt(overtaken());
  await resting;
  clock.clear();
  const lost = await gate.emptied();
  if (lost > 0) log.error({ lost }, 'requests did not end when the state was replaced');
  // What those who were inside have begun at the last moment.
  dismiss(parts);
  clock.clear();
  await files.settled();
}

/** Forgets what was known of another state, and takes up this one. */
async function goOn(parts: Parts): Promise<void> {
  parts.search.forgetState();
  for (const cache of [parts.accounts, parts.files, parts.rateLimit]) cache?.forget();
  await wake(parts);
}

/** The new state could not be taken up, as on a full disk: the old one is. */
async function goBack(
  parts: Parts,
  { before, after }: { before: string; after: string },
  error: unknown,
): Promise<never> {
  await halt(parts);
  await parts.database.replace(before, after);
  await goOn(parts);
  throw error;
}

/** What a first start finds, in a closed file of its own. */
async function makeSeeded({ random, accounts, config }: Parts, file: string): Promise<void> {
  const database = new Database({ file, durable: false, clock: new VirtualClock() });
  try {
    await seed({ database, random, accounts }, config);
  } finally {
    database.close();
  }
}

/** Settles what is due and lets runs go on with it, as far as they get; runs that begin meanwhile are not waited for. */
export async function settleDue({ desk, flows }: Parts): Promise<void> {
  const newest = flows.newest();
  for (let before: string | undefined; before !== flows.stand(newest); ) {
    before = flows.stand(newest);
    await flows.settled(newest);
    await desk.agenda.settleDue();
    // Whoever waited for a render takes it up.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** At a time where a moved clock stands: the runs that waited for it go on from there, as far as they get. */
export async function goOnWithRuns(parts: Parts): Promise<void> {
  if (parts.flows.running() > 0) await settleDue(parts);
}

/** Closes what was assembled, in the order in which things need each other. */
export function dismantle(parts: Parts): Promise<void> {
  return parts.turns.take(async () => {
    await rest(parts, GRACE);
    await parts.fixtures.close();
    await parts.renderer.close();
    await parts.files.settled();
    parts.search.close();
    parts.journal.close();
    parts.record.close();
    parts.database.close();
    parts.clock.clear();
  });
}
