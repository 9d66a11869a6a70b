import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

/** An emulator with a disk limit in bytes, and functions that watch its files. */
async function limited(maxDisk: number) {
  const dataDir = emptyFolder();
  const here = await world({ ephemeral: false, dataDir, maxDisk });
  const folder = path.join(dataDir, 'files');
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { here, files, until: (isSo: () => boolean) => untilFolder(folder, isSo) };
}

const small = await limited(1);
const IMAGES = '/images/generations';

it('removes the oldest renders beyond --max-disk, and keeps the newest [I176]', async () => {
  const limit = 1_000_000;
  const { here, files, until } = await limited(limit);
  const account = await here.account({ credits: 500 });
  const made = new Map<string, number>();
  const bytes = () => [...made.values()].reduce((sum, each) => sum + each, 0);
  while (bytes() <= limit) {
    const known = files();
    const { body } = await account.post(IMAGES, { prompt: `a pier, number ${made.size}` });
    const [name = ''] = files().filter((each) => !known.includes(each));
    made.set(name, Buffer.from(body.data[0].b64_json, 'base64').length);
  }
  const names = [...made.keys()];
  await until(() => files().length < names.length);
  expect(files().toSorted()).toEqual(names.slice(-files().length).toSorted());
  expect(files()).toContain(names.at(-1));
});

it('does not remove stored renders and uploads beyond --max-disk [I176]', async () => {
  const account = await small.here.account({ credits: 500 });
  const before = small.files().length;
  await account.post('/storage/objects', fileForm('uploaded'));
  await account.post(IMAGES, { prompt: 'a stored kite', store: true });
  expect(small.files()).toHaveLength(before + 2);
  await account.post(IMAGES, { prompt: 'a lost kite' });
  await small.until(() => small.files().length === before + 2);
  const { body } = await account.get('/storage/objects');
  for (const { url } of body.data) expect((await small.here.call('GET', url)).status).toBe(200);
});

it('serves a removed render again with the same bytes and without a charge [I176]', async () => {
  const { here, files, until } = await limited(1);
  const ana = await here.account();
  const order = { prompt: 'a red boat' };
  const inline = await ana.post(IMAGES, order);
  expect(inline.status).toBe(200);
  const bytes = Buffer.from(inline.body.data[0].b64_json, 'base64');
  const linked = await ana.post(IMAGES, { ...order, response_format: 'url' });
  await until(() => files().length === 0);
  const head = await here.call('HEAD', linked.body.data[0].url);
  expect([head.headers.get('content-length'), files()]).toEqual([String(bytes.length), []]);
  const reads = await Promise.all([1, 2, 3].map(() => here.call('GET', linked.body.data[0].url)));
  for (const read of reads) expect(read.bytes.equals(bytes)).toBe(true);
  const [entry] = await ana.library();
  for (let read = 0; read < 2; read += 1) expect((await here.call('GET', entry?.thumbnail_url)).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
});
