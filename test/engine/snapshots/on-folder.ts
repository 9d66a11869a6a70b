import { readFileSync } from 'node:fs';
import path from 'node:path';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';

/** An emulator on a folder that the test can look into. */
export async function onFolder() {
  const folder = path.join(emptyFolder(), 'data');
  const here = await world({ ephemeral: false, dataDir: folder });
  const record = (name: string) => path.join(folder, 'snapshots', `${name}.json`);
  const database = (name: string) => {
    const { content } = JSON.parse(readFileSync(record(name), 'utf8'));
    return path.join(folder, 'snapshots', content, 'emulator.db');
  };
  return { folder, here, record, database };
}
