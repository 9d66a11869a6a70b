import { expect, it } from 'vitest';
import { expectError, fileForm } from '../../support/wire.ts';
import { type Answer, type TestAccount, type World, world } from '../../support/world.ts';
import { type Entries, entriesOf, tarOf } from './archive-entries.ts';
import { wholeState } from './whole-state.ts';

const TAR = { 'content-type': 'application/x-tar' };

function importInto(here: World, name: string, body: Buffer, headers = TAR): Promise<Answer> {
  return here.call('PUT', `/_emulator/snapshots/${name}/file`, body, headers);
}

async function exported(here: World, name: string): Promise<Buffer> {
  return (await here.control('GET', `/snapshots/${name}/file`)).bytes;
}

async function upload(account: TestAccount, text: string): Promise<string> {
  return (await account.post('/storage/objects', fileForm(text))).body.url;
}

it('goes as one file to another emulator, whose state is then the same [I093]', async () => {
  const here = await world({ seed: 1 });
  const ana = await here.account({ credits: 500 });
  await upload(ana, 'hello');
  const { url } = (await ana.post('/images/generations', { prompt: 'a', response_format: 'url' })).body.data[0];
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  const { body: saved } = await here.control('POST', '/snapshots', { name: 'scene' });
  const before = await wholeState(here);
  const answer = await here.control('GET', '/snapshots/scene/file');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
  expect(answer.headers.get('content-disposition')).toContain('scene.tar');

  // Of another seed the ids of ledger entries would differ, which are derived from it.
  const there = await world({ seed: 1 });
  await there.account();
  const taken = await importInto(there, 'taken', answer.bytes);
  expect([taken.status, taken.body]).toEqual([201, { ...saved, name: 'taken', bytes: expect.any(Number) }]);
  expect((await there.control('GET', '/accounts')).body.data).toHaveLength(2);
  await there.control('POST', '/snapshots/taken/restore');
  const at = (url: string, state: unknown) => JSON.parse(JSON.stringify(state).replaceAll(url, 'http://localhost'));
  expect(at(there.url, at(here.url, await wholeState(there)))).toEqual(at(here.url, before));
  for (const { url: stored } of (await here.call('GET', '/v1/storage/objects', undefined, ana.headers)).body.data) {
    const { pathname } = new URL(stored);
    expect((await there.call('GET', pathname)).bytes.toString()).toBe('hello');
  }
  const { pathname, search } = new URL(url);
  const made = (await here.call('GET', pathname + search)).bytes;
  expect((await there.call('GET', pathname + search)).bytes).toEqual(made);
  expect(await there.invariants()).toMatchObject({ ok: true });
  expect(await exported(there, 'taken')).toEqual(answer.bytes);
});

it('counts an archive to --max-disk while it is read, and keeps nothing of one that is larger [I093 I170]', async () => {
  const here = await world();
  await upload(await here.account(), 'x'.repeat(2_000_000));
  await here.control('POST', '/snapshots', { name: 'large' });
  const archive = await exported(here, 'large');
  const small = await world({ maxDisk: 1_500_000 });
  const refused = await importInto(small, 'taken', archive);
  expect(expectError(refused, 507, 'storage_full').message).toContain('1500000 bytes of --max-disk');
  expect((await small.control('GET', '/snapshots')).body.data).toEqual([]);
  const roomy = await world({ maxDisk: 3_000_000 });
  expect((await importInto(roomy, 'taken', archive)).status).toBe(201);
});

const without = (name: string) => (entries: Entries) => entries.filter(([each]) => each !== name);
const flipped = (bytes: Buffer) => {
  const other = Buffer.from(bytes);
  other[other.length >> 1] = (other[other.length >> 1] ?? 0) ^ 1;
  return other;
};
const newer = (bytes: Buffer) => Buffer.from(bytes.toString().replace('"format":1', '"format":2'));
const changed = (file: string, change: (bytes: Buffer) => Buffer) => (entries: Entries) =>
  entries.map(([name, bytes]): Entries[number] => [name, name === file ? change(bytes) : bytes]);
const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const SPOILED: [string, RegExp, (entries: Entries) => Entries][] = [
  ['that says nothing of itself', /no snapshot\.json/, without('snapshot.json')],
  ['without checksums', /no checksums\.json/, without('checksums.json')],
  ['without a database', /emulator\.db/, without('emulator.db')],
  ['that lacks a file', /is damaged/, without(`files/${HELLO}`)],
  ['with a changed file', /is damaged/, changed(`files/${HELLO}`, flipped)],
  ['with a changed database', /is damaged/, changed('emulator.db', flipped)],
  ['of another format', /snapshot\.json is not that/, changed('snapshot.json', newer)],
  ...['../evil', '/etc/evil', 'files/../../evil', 'files/evil', `files/${HELLO}/a`, 'other.txt'].map(
    (name): (typeof SPOILED)[number] => [
      `with the name ${name}`,
      /nothing that a snapshot has/,
      (all) => [[name, Buffer.from('evil')], ...all],
    ],
  ),
  ...(['symlink', 'link', 'directory'] as const).map((type): (typeof SPOILED)[number] => [
    `with a ${type}`,
    /no plain file/,
    (all) => [...all, [`files/${'ab'.repeat(32)}`, Buffer.alloc(0), type]],
  ]),
  ['with a file twice', /twice/, (all) => [...all.slice(0, 3), ...all.slice(2)]],
];

it.each(SPOILED)('refuses an archive %s, and keeps nothing of it [I093]', async (_what, reason, spoil) => {
  const here = await world();
  const ana = await here.account();
  await upload(ana, 'hello');
  await here.control('POST', '/snapshots', { name: 'a' });
  const archive = await tarOf(spoil(entriesOf(await exported(here, 'a'))));
  const { message } = expectError(await importInto(here, 'a', archive), 400, 'invalid_request');
  expect(message).toMatch(reason);
  await here.control('POST', '/reset');
  expect((await here.control('POST', '/snapshots/a/restore')).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -2']);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['that is none', () => Buffer.from('x'.repeat(5000))],
  ['that is empty', () => Buffer.alloc(0)],
])('refuses an archive %s [I093]', async (_what, spoil) => {
  const here = await world();
  await here.control('POST', '/snapshots', { name: 'a' });
  const archive = spoil(await exported(here, 'a'));
  expectError(await importInto(here, 'b', archive), 400, 'invalid_request');
  const { data } = (await here.control('GET', '/snapshots')).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['a']);
});

it('wants a tar under a good name, and knows what it can export [I189]', async () => {
  const here = await world();
  await here.control('POST', '/snapshots', { name: 'a' });
  const archive = await exported(here, 'a');
  const asJson = await importInto(here, 'b', archive, { 'content-type': 'application/json' });
  expectError(asJson, 415, 'unsupported_media_type');
  expectError(await importInto(here, 'b%2Fc', archive), 400, 'invalid_request');
  expectError(await here.control('GET', '/snapshots/b/file'), 404, 'not_found');
});
