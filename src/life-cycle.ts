import { rmSync } from 'node:fs';
import type { Parts } from './assemble.ts';
import type { ClockState } from './clock/clock.ts';
import { readSetting } from './database/setting-store.ts';
import { seed } from './seed.ts';

/** How long a delivery in flight may still take when the emulator stops, in real milliseconds: a stop takes 5 s at most. */
const GRACE = 1000;

/** Seeds an empty database, then takes up what the last run left: clock, jobs, deliveries. */
export async function wake(parts: Parts): Promise<void> {
  const { config, clock, database, desk, webhooks, unanswered } = parts;
  await seed(parts, config.credits);
  const kept = readSetting<ClockState>(database, 'clock');
  if (kept) clock.restore(kept);
  await unanswered.wake();
  desk.runner.restart();
  await desk.resume();
  await webhooks.start();
}

/** Removes in the background what a crash left on the disk. */
export function tidy({ files, log }: Parts): void {
  files
    .sweep()
    .catch((error: unknown) => log.error({ error }, 'the data folder could not be tidied'));
}

/** Cuts off what runs in the background; what was under way is taken up by the next `wake`. */
export async function rest({ desk, settlement, webhooks }: Parts, graceMs: number): Promise<void> {
  await Promise.all([desk.runner.stop(), webhooks.stop(graceMs)]);
  settlement.forget();
}

/** Back to the seeded state: a new database is everything forgotten at once; the caches before it follow. */
export async function reset(parts: Parts): Promise<void> {
  const { clock, database, accounts, files, rateLimit, journal, inbox } = parts;
  await rest(parts, 0);
  clock.clear();
  database.replace(() => removeDatabase(database.file));
  for (const cache of [accounts, files, rateLimit, inbox]) cache?.forget();
  journal.clear();
  await wake(parts);
  await files.sweep();
}

/** Resolves when nothing that is due is left to settle. */
export async function settleDue({ settlement, desk }: Parts): Promise<void> {
  while ((await settlement.settleReady()) > 0 && desk.runner.busy) await desk.runner.settled();
}

/** Closes what was assembled, in the order in which things need each other. */
export async function dismantle(parts: Parts): Promise<void> {
  await rest(parts, GRACE);
  await parts.renderer.close();
  await parts.files.settled();
  parts.journal.close();
  parts.database.close();
  parts.clock.clear();
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}
