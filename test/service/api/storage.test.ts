import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { expectError, fileForm } from '../../support/wire.ts';
import { type Answer, type TestAccount, world } from '../../support/world.ts';

const dataDir = emptyFolder();
const here = await world({ ephemeral: false, dataDir });

/** The names of all stored and temporary files in the data folder. */
function onDisk(): string[] {
  return ['files', 'tmp'].flatMap((folder) =>
    readdirSync(path.join(dataDir, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name),
  );
}

function upload(account: TestAccount, bytes: string | Buffer, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([new Uint8Array(Buffer.from(bytes))], 'My cat.PNG', { type: 'image/png' }));
  return account.post('/storage/objects', form);
}

const fetched = async (url: string): Promise<Answer> => here.call('GET', url);
const UPLOAD = { send: 'POST /storage/objects' };
const CODES: Record<number, string> = {
  ...{ 400: 'invalid_request', 413: 'payload_too_large', 415: 'unsupported_media_type' },
};
const OBJECT = /^obj_[0-9a-f]{24}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

it('stores a file, charges for it and serves it under its sanitized name [R024 R025 R026 R028 R177 I044 I045 I174]', async () => {
  const ana = await here.account();
  const stored = await upload(ana, 'meow', { name: '../cats/Grey cat (1).png' });
  expect(stored.status).toBe(200);
  const { id } = stored.body;
  expect(id).toMatch(OBJECT);
  expect(stored.body).toEqual({
    id,
    object: 'storage.object',
    url: `${here.url}/cdn/objects/${id}/Greycat1.png`,
    bytes: 4,
    content_type: 'image/png',
    usage: { credits_spent: 2, credits_remaining: 48 },
  });
  const served = await fetched(stored.body.url);
  expect([served.status, served.bytes.toString()]).toEqual([200, 'meow']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -2']);
  expect(await ana.events()).toEqual([]);
  expect((await here.invariants()).ok).toBe(true);
});

it.each([
  [{}, 'Mycat.PNG'],
  [{ name: '' }, 'Mycat.PNG'],
  [{ name: '..' }, 'file'],
  [{ name: '/etc/passwd' }, 'passwd'],
])('names an upload of the file "My cat.PNG" with the form fields %j as %s [R025 R177 I045]', async (fields, name) => {
  const { body } = await upload(await here.account(), 'x', fields as Record<string, string>);
  expect(body.url).toBe(`${here.url}/cdn/objects/${body.id}/${name}`);
});

it.each([
  [0, 2],
  [10_485_760, 2],
  [10_485_761, 4],
  [104_857_600, 20],
])('charges for an upload of %i bytes %i credits [R129 R176 I105]', async (size, credits) => {
  const answer = { bytes: size, usage: { credits_spent: credits } };
  const { body } = await playScenario(here, {
    ...UPLOAD,
    body: fileForm(Buffer.alloc(size), 'a.bin'),
    answer,
    ledger: [`charge -${credits}`],
  });
  expect((await fetched(body.url)).bytes).toHaveLength(size);
});

it('lists the objects of an account newest first, without usage, and each exactly once in pages, even if one is uploaded meanwhile [R027 R028 R029 I046]', async () => {
  const ana = await here.account();
  const ids = [];
  for (let n = 1; n <= 21; n += 1) ids.unshift((await upload(ana, `note ${n}`)).body.id);
  await upload(await here.account(), 'other');
  const list = async (query: string) => (await ana.get(`/storage/objects${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual(ids);
  const { object, data } = await list('?limit=1');
  expect([object, data]).toEqual([
    'list',
    [
      {
        ...{ id: ids[0], object: 'storage.object', url: `${here.url}/cdn/objects/${ids[0]}/Mycat.PNG`, bytes: 7 },
        ...{ content_type: 'image/png', created_at: expect.stringMatching(ISO) },
      },
    ],
  ]);
  const pages: string[] = await idsOf('?limit=5');
  await upload(ana, 'a note that comes while the list is read');
  for (const size of [5, 5, 5, 1, 0]) {
    const page = await idsOf(`?limit=5&after=${pages.at(-1)}`);
    expect(page).toHaveLength(size);
    pages.push(...page);
  }
  expect(pages).toEqual(ids);
  expect(await ana.ledger()).toEqual(['grant 50', ...Array(22).fill('charge -2')]);
});

it("rejects another account's object as the start of a page [I046]", async () => {
  const { body } = await upload(await here.account(), 'other');
  await expectScenario(here, { send: `GET /storage/objects?after=${body.id}`, error: { field: 'after' } });
});

it.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=', 'limit'],
  ['limit=1.5', 'limit'],
  ['after=obj_0', 'after'],
  ['after=', 'after'],
])('rejects a list of objects with %s [I046]', (query, field) =>
  expectScenario(here, { send: `GET /storage/objects?${query}`, error: { field } }),
);

it('deletes an object from the list, the CDN and the disk, once and free of charge [R030 R130 R178 I043]', async () => {
  const ana = await here.account();
  const { body } = await upload(ana, `short-lived, of ${ana.id}`);
  const before = onDisk();
  const deleted = await ana.delete(`/storage/objects/${body.id}`);
  expect(deleted.status).toBe(200);
  expect(deleted.body).toEqual({ id: body.id, object: 'storage.object', deleted: true });
  expect((await fetched(body.url)).body.error.code).toBe('not_found');
  expect((await ana.get('/storage/objects')).body.data).toEqual([]);
  await untilFolder(dataDir, () => onDisk().length === before.length - 1);
  expectError(await ana.delete(`/storage/objects/${body.id}`), 404, 'not_found');
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -2']);
});

it("returns 404 for the deletion of another account's object, and keeps it [I012]", async () => {
  const { body } = await upload(await here.account(), 'mine');
  expectError(await (await here.account()).delete(`/storage/objects/${body.id}`), 404, 'not_found');
  expect((await fetched(body.url)).status).toBe(200);
});

const MULTIPART = 'multipart/form-data; boundary=b';
const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`;
const fieldPart = (name: string, body: string) => part(`Content-Disposition: form-data; name="${name}"`, body);
const filePart = (body: string, type = 'text/plain') =>
  part(`Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: ${type}`, body);
const END = '--b--\r\n';
const IMAGE = 'Content-Disposition: form-data; name="image"; filename="a.png"';
const HUGE = fieldPart('name', 'x'.repeat(65_537)) + filePart('a');

it.each<[string, string, string, number, string | null, RegExp]>([
  ['JSON', '{"file":"abc"}', 'application/json', 415, null, /multipart\/form-data/],
  ['no type', '{}', '', 415, null, /multipart\/form-data/],
  ['no boundary', END, 'multipart/form-data', 400, null, /Boundary/],
  ['an empty body', '', MULTIPART, 400, null, /Unexpected end of form/],
  ['no parts', END, MULTIPART, 400, 'file', /missing/],
  ['a cut part', filePart('abc').slice(0, -3), MULTIPART, 400, null, /broken/],
  ['no end', filePart('abc'), MULTIPART, 400, null, /broken/],
  ['a broken part head', `--b\r\nnonsense\r\n\r\nabc\r\n${END}`, MULTIPART, 400, null, /broken/],
  ['text instead of the file', fieldPart('file', 'abc') + END, MULTIPART, 400, 'file', /curl/],
  ['a huge field', HUGE + END, MULTIPART, 400, 'name', /64 KiB/],
  ['a part without a name', part('Content-Disposition: form-data', 'x') + END, MULTIPART, 400, null, /plain names/],
  ['too many fields', fieldPart('n', 'x').repeat(33) + END, MULTIPART, 400, null, /32 text fields/],
  ['a form without a file', fieldPart('name', 'x') + END, MULTIPART, 400, 'file', /missing/],
  ['a name that comes twice', fieldPart('name', 'x').repeat(2) + filePart('a') + END, MULTIPART, 400, 'name', /name/],
  ['a file in another field', part(IMAGE, 'x') + END, MULTIPART, 400, 'image', /Unknown field "image"; send the file/],
  ['two files', filePart('a').repeat(2) + END, MULTIPART, 400, null, /one file/],
])(
  'rejects an upload with %s, and charges and stores nothing [I006 I015 I101]',
  async (_what, body, type, status, field, says) => {
    const before = onDisk();
    const headers = { 'content-type': type };
    await expectScenario(here, { ...UPLOAD, body, headers, status, error: { code: CODES[status], field, says } });
    await untilFolder(dataDir, () => onDisk().join() === before.join());
  },
);

it('leaves nothing on disk and charges nothing if the sender of an upload disconnects', async () => {
  const before = onDisk().length;
  const account = await here.account();
  const form = { 'content-type': MULTIPART, 'content-length': '9000000' };
  const sent = request(`${here.url}/v1/storage/objects`, { method: 'POST', headers: { ...account.headers, ...form } });
  sent.on('error', () => undefined).write(filePart('x'.repeat(1_000_000)));
  await untilFolder(dataDir, () => onDisk().length > before);
  sent.destroy();
  await untilFolder(dataDir, () => onDisk().length === before);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('keeps one copy of the bytes of two equal uploads until both objects are deleted, and none of an upload that the balance does not cover', async () => {
  const before = onDisk().length;
  const [ana, ben, poor] = [await here.account(), await here.account(), await here.account({ credits: 1 })];
  const uploads = [upload(ana, 'twin'), upload(ben, 'twin'), upload(poor, 'not paid for')];
  const [one, two, refused] = await Promise.all(uploads);
  expect([one?.status, two?.status, refused?.status]).toEqual([200, 200, 402]);
  await untilFolder(dataDir, () => onDisk().length === before + 1);
  await ana.delete(`/storage/objects/${one?.body.id}`);
  expect((await fetched(two?.body.url)).bytes.toString()).toBe('twin');
  await ben.delete(`/storage/objects/${two?.body.id}`);
  await untilFolder(dataDir, () => onDisk().length === before);
});

it('rejects a file over 100 MiB, and charges and stores nothing [R176 R239 I014]', async () => {
  const before = onDisk();
  const account = await here.account();
  const { status, body } = await account.post('/storage/objects', fileForm(Buffer.alloc(104_857_601), 'a.bin'));
  expect([status, body.error.code, body.error.param]).toEqual([413, 'payload_too_large', 'file']);
  expect(await account.ledger()).toEqual(['grant 50']);
  await untilFolder(dataDir, () => onDisk().join() === before.join());
});

it.each([
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['text/csv;header=present ; Charset="ISO-8859-1"', 'text/csv; charset=ISO-8859-1'],
  ['TEXT/HTML;charset=Shift_JIS', 'text/html; charset=Shift_JIS'],
  ['text/plain; charset', 'text/plain'],
  ['text/plain; charset="a b"', 'text/plain'],
  ['text/plain; format=flowed', 'text/plain'],
  [`text/${'x'.repeat(100)}`, 'application/octet-stream'],
])('keeps and serves the type %j of an upload as %j', async (type, kept) => {
  const account = await here.account();
  const note = 'Content-Disposition: form-data; name="file"; filename="b.txt"\r\nContent-Type: a/b; charset=x';
  const fields = `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n${note}\r\n`;
  const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
  const body = Buffer.from(`${fields}--b\r\n${part}\r\nContent-Type: ${type}\r\n\r\n${note}\r\n--b--\r\n`);
  const form = { 'content-type': 'multipart/form-data; boundary=b' };
  const { body: object } = await account.post('/storage/objects', body, form);
  expect(object.content_type).toBe(kept);
  expect((await account.get('/storage/objects')).body.data[0].content_type).toBe(kept);
  const { headers, bytes } = await here.call('GET', object.url);
  expect([headers.get('content-type'), bytes.toString()]).toEqual([kept, note]);
});
