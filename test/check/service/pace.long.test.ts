import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';
import { drift } from './stand-in.ts';

const folder = emptyFolder();
const standIn = await world({ seed: 5 });

it('measures 18 credits with less than 90 requests, one a second, and deletes what it has made', async () => {
  const account = await standIn.account({ credits: 60 });
  const target = { url: standIn.url, key: account.key };
  const { exitCode, stderr, found, report } = await drift(folder, target, ['--budget', '28', '--pace', '1']);
  expect([exitCode, found, stderr]).toEqual([0, [], expect.not.stringContaining('look there')]);
  const { credits, requests, seconds } = report.measured;
  process.stdout.write(`drift: ${credits} credits, ${requests} requests, ${seconds} s at 1 request a second\n`);
  expect(credits).toBe(18);
  expect(requests).toBeLessThan(90);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
});
