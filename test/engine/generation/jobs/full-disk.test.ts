import { expect, it, onTestFinished } from 'vitest';
import { openLog } from '../../../../src/base/log.ts';
import { compose } from '../../../../src/compose.ts';
import { orderSong } from '../../../../src/engine/generation/music.ts';
import { findJob } from '../../../../src/engine/jobs/job-store.ts';
import { openDataFolder } from '../../../../src/engine/storage/data-folder.ts';
import { closeComposition } from '../../../../src/lifecycle.ts';
import type { Context } from '../../../../src/service/http/context.ts';
import { roomOf } from '../../../support/full-disk.ts';
import { lookUntil } from '../../../support/look-until.ts';
import { ephemeral } from '../../../support/world.ts';

async function openParts(): Promise<Context> {
  const config = ephemeral();
  const folder = openDataFolder(config);
  const log = await openLog('silent', () => 0);
  const composition = compose({ config, folder, log, provided: {} });
  await composition.lifecycle.start();
  onTestFinished(async () => {
    await closeComposition(composition);
    folder.release();
  });
  return composition.context;
}

it('ends a job later if the disk was full, and keeps the render [I062 I170]', async () => {
  const parts = await openParts();
  const { accounts, clock, database } = parts;
  const { jobs } = parts.generation;
  await clock.set({ frozen: true });
  const { apiKey } = await accounts.open({});
  const caller = accounts.keys.callerOf(apiKey);
  if (!caller) throw new Error('the account has no caller');
  const directives = { slowSeconds: 60 };
  // Its recipe is longer than what is left of any page.
  const style = 'slow piano, '.repeat(2000);
  const order = { style, seconds: 30, takes: 1, instrumental: true, directives };
  const gone = new AbortController().signal;
  const payer = { kind: 'request' as const, caller, baseUrl: 'http://localhost', requestId: null, gone };
  const { result } = await orderSong(parts.generation, 'svc-music-one', order, payer);
  const id = result.jobs[0]?.id ?? '';
  await lookUntil(() => Boolean(findJob(database, id)?.outcome));

  const room = roomOf(database);
  await room.fill();
  await clock.advance(60_000);
  await expect(jobs.settle(id)).rejects.toMatchObject({ code: 'storage_full' });
  const final = jobs.whenFinal(id, gone);
  await room.free();
  expect(await final).toMatchObject({ status: 'succeeded', result: { library_id: expect.any(String) } });
});
