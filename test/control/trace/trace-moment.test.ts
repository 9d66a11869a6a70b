import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { recordIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

it('completes a reset while a trace is being saved, and leaves no temporary file of this trace or of the next one', async () => {
  const dataDir = path.join(emptyFolder(), 'data');
  const own = await world({ ephemeral: false, dataDir });
  const temporary = path.join(dataDir, 'tmp');
  const left = () => readdirSync(temporary).length;
  const account = await own.account({ credits: 100 });
  await account.post('/chat/completions', CHAT);
  const output = Array.from({ length: 4000 }, (_, at) => ({ at, from: 'out', text: 'word '.repeat(200) }));
  const traced = Promise.allSettled([own.control('POST', '/trace', { output })]);
  await untilFolder(temporary, () => left() > 0);
  const reset = await own.control('POST', '/reset');
  expect(reset.status).toBe(204);
  await traced;
  await untilFolder(temporary, () => left() === 0);
  expect(recordIn(await traceOf(own)).orders).toEqual([]);
  await untilFolder(temporary, () => left() === 0);
});
