import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import type { Random } from '../../base/random.ts';
import { seedUrlSecret } from '../storage/cdn-url.ts';
import type { Accounts } from './accounts.ts';

/** The key that every new emulator accepts. */
export const WELL_KNOWN_KEY = 'svc_sk_local_emulator';

/**
 * Creates one workspace, its owner with the well-known key, 50 free credits and a top-up to `credits`. Does nothing if
 * the database is seeded.
 */
export async function seed(
  parts: { database: Database; random: Random; accounts: Accounts },
  { credits, demo, world }: Pick<Config, 'credits' | 'demo' | 'world'>,
): Promise<void> {
  const { database, random, accounts } = parts;
  if (readSetting(database, 'seeded_at') !== undefined) return;
  await database.transact((tx) => {
    writeSetting(tx, 'seeded_at', tx.now);
    seedUrlSecret(tx, random);
    if (demo) writeSetting(tx, 'demo', 'due');
    if (world) writeSetting(tx, 'world', 'due');
    accounts.openWithin(tx, { name: 'Local', plan: 'studio', credits, key: WELL_KNOWN_KEY });
  });
}

/** In milliseconds of the emulator's clock; 0 if not seeded. */
export function seededAt(database: Database): number {
  return readSetting<number>(database, 'seeded_at') ?? 0;
}
