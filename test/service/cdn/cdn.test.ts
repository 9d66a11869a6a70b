import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_FILE } from '../../../src/base/database/open-sqlite.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import { entryUrl, findEntry, libraryPath } from '../../../src/engine/library/library-store.ts';
import { objectPath } from '../../../src/engine/storage/cdn-url.ts';
import { readRange } from '../../../src/service/cdn/conditions.ts';
import { cdnHandler } from '../../../src/service/cdn/read-cdn.ts';
import { openWorkbench, type Workbench } from '../../engine/storage/workbench.ts';
import { openServer } from '../../support/answer-errors.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Cdn extends Workbench {
  port: number;
  ask(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
}

async function openCdn(options: { maxDisk?: number } = {}): Promise<Cdn> {
  const bench = await openWorkbench(options);
  const journal = new Journal({
    limit: 10_000,
    clock: bench.clock,
    file: NO_FILE,
    onError() {},
  });
  onTestFinished(() => journal.close());
  const { port } = await openServer(cdnHandler({ ...bench, audit: journal.audit }));
  const ask: Cdn['ask'] = async (path, headers = {}, method = 'GET') => {
    const outgoing = request({ port, path, headers, method, host: '127.0.0.1' }).end();
    const [answer] = await once(outgoing, 'response');
    const chunks = await answer.toArray();
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
  };
  return { ...bench, port, ask };
}

/** A CDN with an object of this text, and its path. */
async function serving(text: string) {
  const cdn = await openCdn();
  return { cdn, path: objectPath({ id: await cdn.store(cdn.ana, text), name: 'note.txt' }) };
}

/** A CDN with a picture, and its signed path. */
async function rendering(options: { maxDisk?: number } = {}) {
  const cdn = await openCdn(options);
  return { cdn, path: addressOf(cdn, await cdn.render(cdn.ana, 'a red boat')) };
}

/** The signed or permanent address of a library entry. */
function addressOf(bench: Workbench, id: string): string {
  const entry = findEntry(bench.db, id);
  if (!entry) throw new Error(`no entry ${id}`);
  return entryUrl(bench.db, entry, bench.clock.now());
}

const codeOf = ({ body }: Answer) => JSON.parse(body.toString()).error.code;
const DAY = 86_400_000;

describe('the CDN', () => {
  it('serves an object with its type, tag and safe headers [R026 I042]', async () => {
    const cdn = await openCdn();
    const id = await cdn.store(cdn.ana, '<script>alert(1)</script>', 'page.html');
    const { status, headers, body } = await cdn.ask(objectPath({ id, name: 'page.html' }));
    expect(status).toBe(200);
    expect(body.toString()).toBe('<script>alert(1)</script>');
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '25',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="page.html"',
      etag: `"${hash('sha256', body, 'hex')}"`,
    });
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
  });

  it('returns the headers of GET for HEAD, without a body [I042]', async () => {
    const { cdn, path } = await serving('hello');
    const got = await cdn.ask(path);
    const head = await cdn.ask(path, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' });
  });

  it.each([100, 131_072, 131_073, 1_048_576, 1_048_577, 5_000_000])(
    'serves a file of %i bytes whole and in ranges [I042]',
    async (size) => {
      const text = 'abcdefghij'.repeat(Math.ceil(size / 10)).slice(0, size);
      const { cdn, path } = await serving(text);
      const whole = await cdn.ask(path);
      expect(whole.status).toBe(200);
      expect(whole.body.equals(Buffer.from(text))).toBe(true);
      const rest = await cdn.ask(path, { range: 'bytes=3-' });
      expect(rest.status).toBe(206);
      expect(rest.headers['content-range']).toBe(`bytes 3-${size - 1}/${size}`);
      expect(rest.headers['content-length']).toBe(String(size - 3));
      expect(rest.body.equals(Buffer.from(text.slice(3)))).toBe(true);
      const tail = await cdn.ask(path, { range: 'bytes=-7' });
      expect(tail.body.toString()).toBe(text.slice(-7));
    },
  );

  it('serves an empty file from the CDN', async () => {
    const { cdn, path } = await serving('');
    const { status, headers, body } = await cdn.ask(path);
    expect([status, headers['content-length'], body.length]).toEqual([200, '0', 0]);
  });

  it('sends the same bytes to slow and fast readers at the same time [I042]', async () => {
    const text = 'abcdefghij'.repeat(1_000_000);
    const { cdn, path } = await serving(text);
    const outgoing = request({ port: cdn.port, path, host: '127.0.0.1' }).end();
    const [slow] = await once(outgoing, 'response');
    const [first] = await once(slow, 'data');
    slow.pause();
    const other = cdn.ask(objectPath({ id: await cdn.store(cdn.ana, text.toUpperCase()), name: 'note.txt' }));
    expect((await other).body.equals(Buffer.from(text.toUpperCase()))).toBe(true);
    const rest = await slow.toArray();
    expect(Buffer.concat([first, ...rest]).equals(Buffer.from(text))).toBe(true);
  });

  it('continues to serve a file to others if a reader disconnects [I042]', async () => {
    const { cdn, path } = await serving('abcdefghij'.repeat(1_000_000));
    const outgoing = request({ port: cdn.port, path, host: '127.0.0.1' }).end();
    const [answer] = await once(outgoing, 'response');
    await once(answer, 'data');
    outgoing.destroy();
    expect((await cdn.ask(path)).body).toHaveLength(10_000_000);
  });

  it('rejects a range beyond the end of a file, with its size [I166]', async () => {
    const { cdn, path } = await serving('hello');
    const answer = await cdn.ask(path, { range: 'bytes=5-' });
    expect(answer.status).toBe(416);
    expect(answer.headers['content-range']).toBe('bytes */5');
    expect(answer.headers['content-type']).toMatch(/json/);
    expect(answer.headers.etag).toBeUndefined();
    expect(codeOf(answer)).toBe('range_not_satisfiable');
  });

  it('returns 304 to a client that has the file, and no range of another file [I042]', async () => {
    const { cdn, path } = await serving('hello');
    const tag = (await cdn.ask(path)).headers.etag ?? '';
    const statuses = async (headers: Record<string, string>) => (await cdn.ask(path, headers)).status;
    expect(await statuses({ 'if-none-match': tag })).toBe(304);
    expect(await statuses({ 'if-none-match': `"x", W/${tag}` })).toBe(304);
    expect(await statuses({ 'if-none-match': '*' })).toBe(304);
    expect(await statuses({ 'if-none-match': '"x"' })).toBe(200);
    expect(await statuses({ range: 'bytes=0-1', 'if-range': tag })).toBe(206);
    expect(await statuses({ range: 'bytes=0-1', 'if-range': '"x"' })).toBe(200);
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
    ['if-modified-since', 'MODIFIED', 304],
    ['if-modified-since', 'EARLIER', 200],
    ['if-modified-since', 'yesterday', 200],
  ])('sends a file with %s: %s only if it is that of the client [I042]', async (name, value, status) => {
    const { cdn, path } = await serving('hello');
    const { headers } = await cdn.ask(path);
    const modified = Date.parse(headers['last-modified'] ?? '');
    const dates = { MODIFIED: modified, LATER: modified + DAY, EARLIER: modified - DAY };
    const date = Object.entries(dates).find(([each]) => each === value)?.[1];
    const given = date === undefined ? value.replace('TAG', headers.etag ?? '') : new Date(date).toUTCString();
    for (const method of ['GET', 'HEAD']) expect((await cdn.ask(path, { [name]: given }, method)).status).toBe(status);
    if (status !== 412) return;
    const refused = await cdn.ask(path, { [name]: given, range: 'bytes=9-' });
    expect(codeOf(refused)).toBe('precondition_failed');
    expect(refused.body.toString()).toContain('Send this tag, or leave the header out.');
  });

  it('sends a range only of the file that If-Range names', async () => {
    const { cdn, path } = await serving('hello');
    const modified = (await cdn.ask(path)).headers['last-modified'] ?? '';
    const status = async (date: string) => (await cdn.ask(path, { range: 'bytes=0-1', 'if-range': date })).status;
    expect(await status(modified)).toBe(206);
    expect(await status(new Date(0).toUTCString())).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE'])('rejects %s on a CDN URL and names what is accepted', async (method) => {
    const { cdn, path } = await serving('hello');
    const answer = await cdn.ask(path, {}, method);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect((await cdn.ask(path)).status).toBe(200);
  });

  it('returns 404 for a deleted object and an unknown path [R178 I043]', async () => {
    const cdn = await openCdn();
    const id = await cdn.store(cdn.ana, 'hello');
    await cdn.objects.delete(cdn.ana, id);
    for (const path of [
      objectPath({ id, name: 'note.txt' }),
      '/cdn',
      '/cdn/',
      '/cdn/objects/obj_0/a',
      '/cdn/objects/..%2f..%2fetc/passwd',
      `/cdn/files/${id}/a`,
    ]) {
      expect(codeOf(await cdn.ask(path))).toBe('not_found');
    }
  });

  it("serves a library entry for 7 days of the emulator's clock [R245 I043 I166]", async () => {
    const { cdn, path } = await rendering();
    await cdn.clock.advance(7 * DAY - 5000);
    const answer = await cdn.ask(path);
    expect([answer.status, answer.body.toString()]).toEqual([200, 'a red boat']);
    await cdn.clock.advance(5000);
    const late = await cdn.ask(path);
    expect([late.status, codeOf(late)]).toEqual([403, 'url_expired']);
  });

  it.each<[string, (url: string) => string]>([
    ['no signature', (url) => url.replace(/\?.*/, '')],
    ['a later expiry', (url) => url.replace(/expires=\d/, 'expires=9')],
    ['another name', (url) => url.replace('.png', '.jpg')],
    ['a cut signature', (url) => url.slice(0, -2)],
    ['a longer signature', (url) => `${url}00`],
    ['a signature with a tail', (url) => `${url}zz`],
    ['a flipped digit', (url) => url.slice(0, -1) + (url.endsWith('0') ? '1' : '0')],
    ['no expiry', (url) => url.replace(/expires=\d+&/, '')],
  ])('rejects a signed URL with %s [I043 I166]', async (_what, alter) => {
    const { cdn, path } = await rendering();
    const answer = await cdn.ask(alter(path));
    expect([answer.status, codeOf(answer)]).toEqual([403, 'invalid_signature']);
  });

  it('rejects a CDN URL with the signature of another file [I166]', async () => {
    const cdn = await openCdn();
    const first = addressOf(cdn, await cdn.render(cdn.ana, 'one'));
    const other = await cdn.render(cdn.ana, 'two');
    const forged = libraryPath({ id: other, name: `${other}.png` }) + first.slice(first.indexOf('?'));
    expect(codeOf(await cdn.ask(forged))).toBe('invalid_signature');
  });

  it('serves a stored render permanently, and with a signed URL once its object is deleted [R232 I040]', async () => {
    const cdn = await openCdn();
    const id = await cdn.render(cdn.ana, 'kept', { store: true });
    const path = addressOf(cdn, id);
    expect(path).toMatch(/^\/cdn\/objects\/obj_[0-9a-f]{24}\/stored\.png$/);
    await cdn.clock.advance(400 * DAY);
    expect((await cdn.ask(path)).body.toString()).toBe('kept');
    await cdn.objects.delete(cdn.ana, path.split('/')[3] ?? '');
    expect((await cdn.ask(path)).status).toBe(404);
    expect((await cdn.ask(addressOf(cdn, id))).body.toString()).toBe('kept');
    expect(cdn.rendered).toEqual([]);
  });

  it('renders a removed file again, once for all readers [I176]', async () => {
    const cdn = await openCdn({ maxDisk: 10 });
    const old = addressOf(cdn, await cdn.render(cdn.ana, 'the old one'));
    const fresh = addressOf(cdn, await cdn.render(cdn.ana, 'newer'));
    await cdn.files.settled();
    expect(cdn.onDisk()).toHaveLength(1);
    const head = await cdn.ask(old, {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, '11']);
    expect(cdn.rendered).toEqual([]);
    const answers = await Promise.all([cdn.ask(old), cdn.ask(old), cdn.ask(old)]);
    expect(answers.map(({ body }) => body.toString())).toEqual(Array(3).fill('the old one'));
    expect(cdn.rendered).toEqual(['the old one']);
    expect((await cdn.ask(fresh)).body.toString()).toBe('newer');
  });

  it('serves a removed render again even if a newer renderer changes its length', async () => {
    const cdn = await openCdn({ maxDisk: 1 });
    const id = await cdn.render(cdn.ana, 'first draft');
    const path = addressOf(cdn, id);
    await cdn.db.transact((tx) => {
      const render = { kind: 'image', model: 'svc-image-one', prompt: 'second, longer draft', seed: 1 };
      tx.run('UPDATE jobs SET render = ?', JSON.stringify(render));
    });
    await cdn.files.settled();
    expect((await cdn.ask(path)).body.toString()).toBe('second, longer draft');
    expect((await cdn.ask(path, { range: 'bytes=-5' })).body.toString()).toBe('draft');
    expect((await cdn.ask(path, {}, 'HEAD')).headers['content-length']).toBe('20');
  });

  it('reports that a removed render cannot be rendered, and renders it once that is possible', async () => {
    const { cdn, path } = await rendering({ maxDisk: 1 });
    await cdn.files.settled();
    cdn.brokenRenders.add('a red boat');
    const failed = await cdn.ask(path);
    expect([failed.status, codeOf(failed)]).toEqual([502, 'render_failed']);
    expect(failed.headers['content-range']).toBeUndefined();
    expect([...cdn.onDisk(), ...cdn.inScratch()]).toEqual([]);
    cdn.brokenRenders.clear();
    expect((await cdn.ask(path)).body.toString()).toBe('a red boat');
  });
});

describe('a range header', () => {
  it.each<[string | undefined, number, [number, number] | undefined]>([
    ['bytes=0-0', 10, [0, 0]],
    ['bytes=2-5', 10, [2, 5]],
    ['bytes=2-', 10, [2, 9]],
    ['bytes=2-500', 10, [2, 9]],
    ['bytes=0-99999999999999999999999', 10, [0, 9]],
    ['bytes=-3', 10, [7, 9]],
    ['bytes=-300', 10, [0, 9]],
    ['Bytes= 2-5 ', 10, [2, 5]],
    [undefined, 10, undefined],
    ['bytes=5-2', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=0-1,4-5', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['lines=0-1', 10, undefined],
    ['bytes=-3', 0, undefined],
  ])('reads the range %s of %i bytes as %j [I042]', (header, size, expected) => {
    expect(readRange(header, size)).toEqual(expected && { start: expected[0], end: expected[1] });
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-20', 10],
    ['bytes=99999999999999999999999-', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
  ])('rejects the range %s of %i bytes with the size [I166]', (header, size) => {
    expect(() => readRange(header, size)).toThrow(
      expect.objectContaining({ code: 'range_not_satisfiable', headers: { 'content-range': `bytes */${size}` } }),
    );
  });

  it('serves no bytes outside the file for any range [I042]', () => {
    const number = fc.option(fc.nat({ max: 300 }), { nil: '' });
    fc.assert(
      fc.property(number, number, fc.nat({ max: 200 }), (first, last, size) => {
        const range = orNothing(() => readRange(`bytes=${first}-${last}`, size));
        if (!range) return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThanOrEqual(range.end);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});

function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
