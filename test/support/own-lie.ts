import { appendFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import type { Emulator } from '../../src/emulator.ts';

/**
 * Has an emulator of the tests tell the lie that `npm run lies:own` wants noticed, and records at the end how often it did.
 * It is no fault rule: what a test lists, deletes or resets is as ever.
 */
export async function tellOwnLie({ lies }: Pick<Emulator, 'lies'>): Promise<void> {
  const { OWN_LIE: lie, OWN_LIE_RECORD: record } = process.env;
  if (!lie || !record) return;
  await lies.arm([{ id: lie, lie }]);
  afterAll(() => {
    for (const { times } of lies.told()) appendFileSync(record, `${times}\n`);
  });
}
