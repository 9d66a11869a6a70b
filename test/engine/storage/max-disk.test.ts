import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { world } from '../../support/world.ts';

const dataDir = emptyFolder();
const here = await world({ ephemeral: false, dataDir, maxDisk: 1 });

const renders = () =>
  readdirSync(path.join(dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

it('answers with renders that are evicted at once, and serves the same bytes later, uncharged [I176]', async () => {
  const ana = await here.account();
  const order = { prompt: 'a red boat' };
  const inline = await ana.post('/images/generations', order);
  expect(inline.status).toBe(200);
  const bytes = Buffer.from(inline.body.data[0].b64_json, 'base64');
  const linked = await ana.post('/images/generations', { ...order, response_format: 'url' });
  await untilFolder(path.join(dataDir, 'files'), () => renders().length === 0);
  const served = await here.call('GET', linked.body.data[0].url);
  expect(served.status).toBe(200);
  expect(served.bytes.equals(bytes)).toBe(true);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
});
