import { hash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { exchange, expectError } from '../../support/wire.ts';
import { EXACT_RENDERS, world } from '../../support/world.ts';

const here = await world();
const DAY = 86_400;

/** Stores an object of a new account and returns its URL. */
async function store(content: string, name = 'note.txt'): Promise<string> {
  const form = new FormData();
  form.set('file', new File([content], name, { type: 'text/plain' }));
  return (await (await here.account()).post('/storage/objects', form)).body.url;
}

/** Renders an image of a new account and returns its signed URL. */
async function render(prompt = 'a red boat', at = here): Promise<string> {
  const { body } = await (await at.account()).post('/images/generations', { prompt, response_format: 'url' });
  return body.data[0].url;
}

/** Expects headers that forbid browsers to sniff or run the response, be it a file or an error [I213]. */
async function read(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await here.call(method, url, undefined, headers);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  return answer;
}

it('serves a stored object with its media type, its ETag, and headers that forbid sniffing and scripts [I042 I213]', async () => {
  const content = '<script>alert(1)</script>';
  const { status, headers, bytes } = await read(await store(content, 'page.html'));
  expect([status, bytes.toString()]).toEqual([200, content]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/plain',
    'content-length': '25',
    'accept-ranges': 'bytes',
    'content-disposition': 'inline; filename="page.html"',
    etag: `"${hash('sha256', content, 'hex')}"`,
  });
});

it('returns the headers of GET for HEAD, without a body [I042]', async () => {
  const url = await store('hello');
  const [got, head] = [await read(url), await read(url, {}, 'HEAD')];
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  const own = ['date', 'x-request-id', 'connection', 'keep-alive'];
  const shown = ({ headers }: typeof got) => [...headers].filter(([name]) => !own.includes(name));
  expect(shown(head)).toEqual(shown(got));
});

it.each([100, 131_072, 131_073, 1_048_576, 1_048_577, 5_000_000])(
  'serves a file of %i bytes whole and in ranges [I042]',
  async (size) => {
    const text = 'abcdefghij'.repeat(Math.ceil(size / 10)).slice(0, size);
    const url = await store(text);
    expect((await read(url)).bytes.equals(Buffer.from(text))).toBe(true);
    const rest = await read(url, { range: 'bytes=3-' });
    expect([rest.status, rest.headers.get('content-range'), rest.headers.get('content-length')]).toEqual([
      ...[206, `bytes 3-${size - 1}/${size}`, String(size - 3)],
    ]);
    expect(rest.bytes.equals(Buffer.from(text.slice(3)))).toBe(true);
    expect((await read(url, { range: 'bytes=-7' })).bytes.toString()).toBe(text.slice(-7));
  },
);

it('serves files to slow and fast readers at the same time, even if another reader disconnects [I042]', async () => {
  const text = 'abcdefghij'.repeat(1_000_000);
  const url = await store(text);
  const open = async () => {
    const outgoing = request(url).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const [first] = await once(answer, 'data');
    answer.pause();
    return { outgoing, rest: async () => Buffer.concat([first, ...(await answer.toArray())]) };
  };
  const [slow, left] = [await open(), await open()];
  left.outgoing.on('error', () => undefined).destroy();
  expect((await read(await store(text.toUpperCase()))).bytes.equals(Buffer.from(text.toUpperCase()))).toBe(true);
  expect((await slow.rest()).equals(Buffer.from(text))).toBe(true);
});

it.each<[string, string, number]>([
  ['if-match', 'TAG', 200],
  ['if-match', '"x", TAG', 200],
  ['if-match', '*', 200],
  ['if-match', '"x"', 412],
  ['if-match', 'W/TAG', 412],
  ['if-match', '', 412],
  ['if-unmodified-since', 'MODIFIED', 200],
  ['if-unmodified-since', 'LATER', 200],
  ['if-unmodified-since', 'EARLIER', 412],
  ['if-unmodified-since', 'yesterday', 200],
  ['if-none-match', 'TAG', 304],
  ['if-none-match', '"x", W/TAG', 304],
  ['if-none-match', '*', 304],
  ['if-none-match', '"x"', 200],
  ['if-range', 'TAG', 206],
  ['if-range', '"x"', 200],
  ['if-range', 'MODIFIED', 206],
  ['if-range', 'EARLIER', 200],
  ['if-modified-since', 'MODIFIED', 304],
  ['if-modified-since', 'EARLIER', 200],
  ['if-modified-since', 'yesterday', 200],
])('returns for a CDN request with %s: %s the status %i [I042]', async (name, value, status) => {
  const url = await store('hello');
  const { headers } = await read(url);
  const modified = Date.parse(headers.get('last-modified') ?? '');
  const dates = { MODIFIED: modified, LATER: modified + DAY * 1000, EARLIER: modified - DAY * 1000 };
  const date = Object.entries(dates).find(([each]) => each === value)?.[1];
  const given = date === undefined ? value.replace('TAG', headers.get('etag') ?? '') : new Date(date).toUTCString();
  if (name === 'if-range') {
    expect((await read(url, { [name]: given, range: 'bytes=0-1' })).status).toBe(status);
    return;
  }
  for (const method of ['GET', 'HEAD']) expect((await read(url, { [name]: given }, method)).status).toBe(status);
  if (status !== 412) return;
  const refused = await read(url, { [name]: given, range: 'bytes=9-' });
  const { message } = expectError(refused, 412, 'precondition_failed');
  expect(message).toContain('Send this tag, or leave the header out.');
});

it.each<[string, string, string | null]>([
  ['bytes=0-0', 'abcdefghij', 'a'],
  ['bytes=2-5', 'abcdefghij', 'cdef'],
  ['bytes=2-500', 'abcdefghij', 'cdefghij'],
  ['bytes=0-99999999999999999999999', 'abcdefghij', 'abcdefghij'],
  ['bytes=-3', 'abcdefghij', 'hij'],
  ['bytes=-300', 'abcdefghij', 'abcdefghij'],
  ['Bytes= 2-5 ', 'abcdefghij', 'cdef'],
  ['bytes=5-2', 'abcdefghij', null],
  ['bytes=-', 'abcdefghij', null],
  ['bytes=0-1,4-5', 'abcdefghij', null],
  ['bytes=a-b', 'abcdefghij', null],
  ['lines=0-1', 'abcdefghij', null],
  ['bytes=-3', '', null],
])('returns for the range %s of %j the bytes %j, or the whole file for null [I042]', async (range, content, part) => {
  const { status, bytes } = await read(await store(content), { range });
  expect([status, bytes.toString()]).toEqual(part === null ? [200, content] : [206, part]);
});

it.each([
  ['bytes=5-', 'hello'],
  ['bytes=5-20', 'hello'],
  ['bytes=99999999999999999999999-', 'hello'],
  ['bytes=-0', 'hello'],
  ['bytes=0-', ''],
])('rejects the range %s of %j, and returns the size in content-range [I166]', async (range, content) => {
  const answer = await read(await store(content), { range });
  expectError(answer, 416, 'range_not_satisfiable');
  expect([answer.headers.get('content-range'), answer.headers.get('etag')]).toEqual([
    ...[`bytes */${content.length}`, null],
  ]);
});

it.each(['POST', 'PUT', 'DELETE'])('rejects %s on a CDN URL, and names the accepted methods', async (method) => {
  const url = await store('hello');
  const answer = await read(url, {}, method);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await read(url)).status).toBe(200);
});

it('forbids media type sniffing and scripts also in the 403 for a foreign Host header [I213]', async () => {
  const foreign = await exchange(here, 'GET /cdn/a HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n');
  expect(foreign).toMatch(/^HTTP\/1\.1 403 [\s\S]*sandbox[\s\S]*nosniff/i);
});

const OUTSIDE = ['/cdn/objects/..%2f..%2fetc/passwd', '/cdn/files/obj_0/a', '/cdn/%zz'];
const BESIDE_SAMPLES = ['/cdn/sample/nothing.png', '/cdn/sample/image.png/x'];

it.each(['/cdn', '/cdn/', '/cdn/objects/obj_0/a', ...OUTSIDE, ...BESIDE_SAMPLES])(
  'returns 404 for the unknown path %s, and forbids sniffing and scripts [I012 I213]',
  async (path) => {
    expectError(await read(path), 404, 'not_found');
  },
);

it.each<[string, (url: string, other: string) => string]>([
  ['no signature', (url) => url.replace(/\?.*/, '')],
  ['the signature of another file', (url, other) => url.replace(/\?.*/, other.slice(other.indexOf('?')))],
  ['a later expiry', (url) => url.replace(/expires=\d/, 'expires=9')],
  ['another name', (url) => url.replace('.png', '.jpg')],
  ['a cut signature', (url) => url.slice(0, -2)],
  ['a longer signature', (url) => `${url}00`],
  ['a signature with a tail', (url) => `${url}zz`],
  ['a flipped digit', (url) => url.slice(0, -1) + (url.endsWith('0') ? '1' : '0')],
  ['no expiry', (url) => url.replace(/expires=\d+&/, '')],
])('rejects a signed URL with %s [I043 I166]', async (_what, alter) => {
  expectError(await read(alter(await render('one'), await render('two'))), 403, 'invalid_signature');
});

it('serves a stored render at its permanent URL until its object is deleted, and then at the signed URL of its library entry [R232 I040 I043 I047 I089]', async () => {
  const own = await world();
  const account = await own.account();
  const { body } = await account.post('/images/generations', { prompt: 'a pier', store: true });
  const [{ url }] = body.data;
  expect(new URL(url).pathname).toMatch(/^\/cdn\/objects\/obj_[0-9a-f]{24}\/\w+\.png$/);
  await own.advance(400 * DAY);
  const { bytes } = await own.call('GET', url);
  const [before] = await account.library();
  await account.delete(`/storage/objects/${url.split('/')[5]}`);
  expectError(await own.call('GET', url), 404, 'not_found');
  const [entry] = await account.library();
  const { url: signed, thumbnail_url } = entry ?? {};
  expect(entry).toEqual({ ...before, object_id: null, url: signed, thumbnail_url });
  expect((await own.call('GET', entry?.url)).bytes.equals(bytes)).toBe(true);
});

it('renders a file again that was removed from the disk, with the right content-length even if a newer renderer changes it', async () => {
  const dataDir = emptyFolder();
  const start = () => world({ ephemeral: false, dataDir, maxDisk: 1 }, EXACT_RENDERS);
  const first = await start();
  const url = await render('a first draft', first);
  const before = await (await fetch(url)).arrayBuffer();
  await first.close();
  // The limit may not have removed the render yet, because it was just read.
  rmSync(`${dataDir}/files`, { recursive: true });
  const database = openSqlite(`${dataDir}/emulator.db`);
  const newer = { kind: 'image', model: 'svc-image-one', prompt: 'a crowded market', seed: 1 };
  database.prepare('UPDATE jobs SET render = ?').run(JSON.stringify(newer));
  database.close();
  const { pathname, search } = new URL(url);
  const again = await start();
  const whole = await again.call('GET', pathname + search);
  expect(whole.bytes.length).not.toBe(before.byteLength);
  const head = await again.call('HEAD', pathname + search);
  expect(head.headers.get('content-length')).toBe(String(whole.bytes.length));
});
