import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import { spendBaseline } from '../../src/check/spend/spend-baseline.ts';
import { startEmulator } from '../../src/emulator.ts';
import { fileOf } from '../cli/spawned-program.ts';
import { entriesOf, tarOf } from '../engine/snapshots/archive-entries.ts';
import { runCommand } from '../support/run-command.ts';
import { reply } from '../support/scripting.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { ephemeral, TestAccount, World, world } from '../support/world.ts';
import { oldFile, oldFolder, WORLD } from './old-folder.ts';

const opened = JSON.parse(oldFile('account.json').toString());
const TAR = { 'content-type': 'application/x-tar' };
const LEDGER = [
  'grant 50',
  'top_up 950',
  'charge -1',
  'charge -10',
  'refund 10',
  'charge -10',
  'charge -2',
  'charge -1',
];

/** Everything that was in it is there, and goes on. */
async function expectWhole(here: World): Promise<void> {
  const account = new TestAccount(here, opened);
  expect(await account.ledger()).toEqual(LEDGER);
  expect(await here.invariants()).toMatchObject({ ok: true });
  expect((await account.jobs()).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  expect(await account.events()).toEqual(['image.generation.failed', 'image.generation.succeeded', 'flow.run.waiting']);
  const [object] = (await account.get('/storage/objects')).body.data;
  expect((await here.call('GET', new URL(object.url).pathname)).bytes.toString()).toBe('hello');
  const [entry] = await account.library();
  expect(entry).toMatchObject({ kind: 'image', recipe: { prompt: 'a pier' } });
  expect((await here.control('GET', `/library/${entry?.id}/file`)).status).toBeLessThan(500);
  expect(await reply(account, 'the magic word')).toBe('FROM 0.1.0');
  const [run] = (await here.control('GET', `/runs?account_id=${account.id}`)).body.data;
  expect(run.status).toBe('waiting');
  await here.control('POST', `/runs/${run.id}/click`, { choice: 'approve' });
  expect((await here.control('GET', `/runs/${run.id}`)).body.status).toBe('done');
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  expect(await account.ledger()).toEqual([...LEDGER, 'charge -1', 'charge -1']);
  expect((await account.get('/account')).body.usage_30d).toEqual({ requests: 7, credits: 16 });
  expect(await here.invariants()).toMatchObject({ ok: true });
}

it('goes on with a data folder of 0.1.0, and goes back to the snapshot that lies in it [I093 I155]', async () => {
  const emulator = await startEmulator(ephemeral({ ephemeral: false, dataDir: oldFolder() }));
  const here = new World(emulator);
  await expectWhole(here);
  expect((await here.control('GET', '/requests')).status).toBe(200);
  expect((await here.control('POST', '/snapshots/kept/restore')).status).toBe(200);
  await expectWhole(here);
  await emulator.close();
});

it('takes in an archive of 0.1.0 and goes on with it [I093 I230]', async () => {
  const here = await world();
  const taken = await here.call('PUT', '/_emulator/snapshots/old/file', gunzipSync(oldFile('snapshot.tar.gz')), TAR);
  expect([taken.status, taken.body]).toEqual([201, expect.objectContaining({ name: 'old', files: 2 })]);
  expect((await here.control('POST', '/snapshots/old/restore')).status).toBe(200);
  await expectWhole(here);
});

it('refuses a data folder and an archive of a newer version by name, and leaves them as they are [I093 I155]', async () => {
  const folder = oldFolder();
  const marker = path.join(folder, 'svc-emulator.json');
  writeFileSync(marker, '{"program":"svc-emulator","format":2}');
  const refused = await runCommand(['start', '--data-dir', folder, '--port', '0']);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/format 2;.*knows format 1.*Upgrade/)]);
  expect(readFileSync(marker, 'utf8')).toContain('"format":2');
  const here = await world();
  const newer = entriesOf(gunzipSync(oldFile('snapshot.tar.gz'))).map(([name, bytes]): [string, Buffer] => [
    name,
    name === 'snapshot.json' ? Buffer.from(bytes.toString().replace('"format":1', '"format":2')) : bytes,
  ]);
  const answer = await here.call('PUT', '/_emulator/snapshots/new/file', await tarOf(newer), TAR);
  expect(expectError(answer, 400, 'invalid_request').message).toContain('of this version');
  expect((await here.control('GET', '/snapshots')).body.data).toEqual([]);
});

it('reads a configuration file of 0.1.0, and names what only a newer one knows [I148]', () => {
  const config = fileOf('svc-emulator.config.json', oldFile('svc-emulator.config.json'));
  const dataDir = path.join(path.dirname(config), 'kept');
  const plain = {
    port: 4700,
    credits: 500,
    strict: true,
    settleAfter: 0.5,
    rateLimit: 60,
    profile: 'production',
    seed: 7,
  };
  expect(readConfig({ config }, {})).toMatchObject({ ...plain, dataDir, maxDisk: 1_073_741_824, log: 'json' });
  writeFileSync(config, '{"port": 4700, "hologram": true}');
  expect(() => readConfig({ config }, {})).toThrow(/has "hologram"/);
});

it('compares a run with a report of 0.1.0', async () => {
  expect(spendBaseline.parse(JSON.parse(oldFile('report.json').toString()))).toMatchObject({ credits: 2 });
  const baseline = path.join(WORLD, 'report.json');
  const { exitCode, stdout, stderr } = await runCommand([
    'exec',
    '--baseline',
    baseline,
    '--',
    process.execPath,
    '-e',
    '',
  ]);
  expect([exitCode, stdout + stderr]).toEqual([0, expect.stringContaining('Against the baseline')]);
});
