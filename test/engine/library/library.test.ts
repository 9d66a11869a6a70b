import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { entryName, findEntry, listEntries } from '../../../src/engine/library/library-store.ts';
import { ServedFiles, thumbnailName } from '../../../src/engine/library/served-files.ts';
import { thumbnailPath, urlSigner } from '../../../src/engine/storage/cdn-url.ts';
import type { RenderRequest } from '../../../src/media/render-request.ts';
import { world } from '../../support/world.ts';
import { openWorkbench, type Workbench } from '../storage/workbench.ts';

describe('the library', () => {
  it('keeps a render with its recipe and seed, which produce the same render [R053 I047]', async () => {
    const bench = await openWorkbench();
    const id = await bench.render(bench.ana, 'a red boat', { store: true });
    expect(id).toMatch(/^lib_[0-9a-f]{24}$/);
    expect(findEntry(bench.db, id)).toMatchObject({
      id,
      accountId: bench.ana,
      medium: 'image',
      model: 'svc-image-one',
      jobId: `job_${id.slice(4)}`,
      object: { name: 'stored.png' },
      bytes: 10,
      contentType: 'image/png',
      seconds: null,
      seed: null,
      credits: 10,
      recipe: { prompt: 'a red boat' },
      render: { kind: 'image', prompt: 'a red boat', seed: 1 },
    });
    expect(findEntry(bench.db, 'lib_unknown')).toBeUndefined();
  });

  it('lists renders newest first, for one account or all, in pages [I089]', async () => {
    const bench = await openWorkbench();
    const first = await bench.render(bench.ana, 'one');
    const second = await bench.render(bench.ben, 'two');
    const third = await bench.render(bench.ana, 'three');
    const ids = (page: Parameters<typeof listEntries>[1]) => listEntries(bench.db, page).map(({ id }) => id);
    expect(ids({})).toEqual([third, second, first]);
    expect(ids({ accountId: bench.ana })).toEqual([third, first]);
    expect(ids({ limit: 1, after: third })).toEqual([second]);
    expect(ids({ accountId: bench.ana, after: third })).toEqual([first]);
    expect(() => ids({ after: 'lib_unknown' })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'after' }),
    );
  });

  it('lists library entries of a period by the clock, even if the clock was set back [I089]', async () => {
    const bench = await openWorkbench();
    const at = async (seconds: number, prompt: string) => {
      await bench.clock.set({ now: Date.UTC(2030, 0, 1) + seconds * 1000, frozen: true });
      return bench.render(bench.ana, prompt);
    };
    const late = await at(30, 'late');
    const [early, same] = [await at(10, 'early'), await at(10, 'same')];
    const middle = await at(20, 'middle');
    const since = Date.UTC(2030, 0, 1);
    const walk = (until: number) => {
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = listEntries(bench.db, { since, until, after, limit: 1 });
        if (page.length === 0) return found;
        after = page[0]?.id;
        found.push(after ?? '');
      }
    };
    expect(walk(since + 60_000)).toEqual([late, middle, same, early]);
    expect(walk(since + 30_000)).toEqual([middle, same, early]);
    expect(walk(since + 10_000)).toEqual([]);
    const worded = { since, text: 'e', accountId: bench.ana };
    expect(listEntries(bench.db, worded).map(({ id }) => id)).toEqual([late, middle, same, early]);
    const phrase = { since, text: 'LATE' };
    expect(listEntries(bench.db, phrase).map(({ id }) => id)).toEqual([late]);
    expect(listEntries(bench.db, { text: 'mid' }).map(({ id }) => id)).toEqual([middle]);
  });

  it.each([
    ['image/png', 'lib_1.png'],
    ['video/mp4', 'lib_1.mp4'],
    ['audio/mpeg', 'lib_1.mp3'],
  ])('names a library file of type %s %s', (contentType, name) => {
    expect(entryName({ id: 'lib_1', contentType })).toBe(name);
  });

  it('gives the same id to the same render of a new emulator with the same seed', async () => {
    const one = await openWorkbench();
    const two = await openWorkbench();
    expect(await one.render(one.ana, 'boat')).toBe(await two.render(two.ana, 'boat'));
  });
});

/** Serves small pictures that name what they show, and counts what is drawn. */
async function openGallery(options: { maxDisk?: number } = {}) {
  const bench = await openWorkbench(options);
  const drawn: string[] = [];
  const render = async (request: RenderRequest, target: string) => {
    const text = request.kind === 'thumbnail' ? `small ${request.of.sha256.slice(0, 4)}` : 'again';
    drawn.push(request.kind);
    await writeFile(target, text);
    return { bytes: Buffer.byteLength(text), contentType: 'image/webp' as const };
  };
  const { db, clock, files } = bench;
  const served = new ServedFiles({ db, clock, files, render });
  return { bench, drawn, served };
}

function address({ db, clock }: Workbench, id: string): [string, string] {
  const [path = '', query = ''] = urlSigner(db, clock.now())(thumbnailPath(id)).split('?');
  return [path, query];
}

const fileOf = ({ db }: Workbench, id: string) =>
  db.get<{ file: string }>('SELECT file FROM library WHERE id = ?', id)?.file ?? '';

it('draws a thumbnail once for many parallel reads', async () => {
  const { bench, drawn, served } = await openGallery();
  const id = await bench.render(bench.ana, 'boat');
  const at = address(bench, id);
  const found = await Promise.all([1, 2, 3].map(() => served.draw(...at)));
  expect(drawn).toEqual(['thumbnail']);
  const name = thumbnailName(fileOf(bench, id));
  for (const each of found) expect(each).toMatchObject({ file: name, contentType: 'image/webp' });
  expect(bench.onDisk()).toContain(name);
  await bench.files.sweep();
  expect(bench.onDisk()).toContain(name);
});

it('renders a file and its thumbnail again if the disk was too full to keep them', async () => {
  const { bench, drawn, served } = await openGallery({ maxDisk: 12 });
  const id = await bench.render(bench.ana, 'boat');
  await served.draw(...address(bench, id));
  await bench.render(bench.ana, 'a long pier');
  await bench.files.settled();
  await served.draw(...address(bench, id));
  expect(drawn).toEqual(['thumbnail', 'image', 'thumbnail']);
});

const here = await world();
const WEEK = 7 * 24 * 3600;
const STORED = { prompt: 'a kite', store: true };

it('stores a separate object for each order of the same image [R154 I040 I043]', async () => {
  const ana = await here.account();
  const [one, two] = [
    (await ana.post('/images/generations', STORED)).body.data[0].url,
    (await ana.post('/images/generations', STORED)).body.data[0].url,
  ];
  expect(one).not.toBe(two);
  const { body } = await ana.get('/storage/objects');
  expect(body.data.map(({ url }: { url: string }) => url)).toEqual([two, one]);
  await ana.delete(`/storage/objects/${body.data[1].id}`);
  expect((await here.call('GET', one)).status).toBe(404);
  expect((await here.call('GET', two)).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -12', 'charge -12']);
});

it('keeps the library entry if its object is deleted [I043 I047 I089]', async () => {
  const ana = await here.account();
  await ana.post('/images/generations', STORED);
  const [before] = await ana.library();
  await ana.delete(`/storage/objects/${before?.object_id}`);
  const [after] = await ana.library();
  expect({ ...after, url: '', thumbnail_url: '' }).toEqual({
    ...before,
    ...{ object_id: null, url: '', thumbnail_url: '' },
  });
  expect((await ana.get('/storage/objects')).body.data).toEqual([]);
  expect((await here.invariants()).ok).toBe(true);
});

it('expires a signed URL after 7 days, but not its entry [R050 R245 I039 I043 I123]', async () => {
  await here.control('PUT', '/clock', { frozen: true });
  const ana = await here.account();
  const { body } = await ana.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  expect(body).toBeUndefined();
  const order = { prompt: 'a song of the sea', seconds: 30, n: 1 };
  const { result_url } = (await ana.made('/music/generations', order)).body;
  await here.advance(WEEK - 1);
  expect((await here.call('GET', result_url)).status).toBe(200);
  const altered = await here.call('GET', result_url.slice(0, -1) + (result_url.endsWith('0') ? '1' : '0'));
  expect([altered.status, altered.body.error.code]).toEqual([403, 'invalid_signature']);
  await here.advance(2);
  const late = await here.call('GET', result_url);
  expect([late.status, late.body.error.code]).toEqual([403, 'url_expired']);
  expect((await ana.library()).map(({ kind }) => kind)).toEqual(['speech', 'music']);
  await here.control('PUT', '/clock', { frozen: false });
});
