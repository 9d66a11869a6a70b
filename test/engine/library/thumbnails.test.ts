import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { removeEntry } from '../../../src/engine/library/library.ts';
import { ServedFiles } from '../../../src/engine/library/served-files.ts';
import { thumbnailName } from '../../../src/engine/library/thumbnails.ts';
import { thumbnailPath } from '../../../src/engine/storage/cdn-path.ts';
import { weekSigner } from '../../../src/engine/storage/cdn-url.ts';
import type { RenderRequest } from '../../../src/media/render-request.ts';
import { openWorkbench, type Workbench } from '../storage/workbench.ts';

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
  const [path = '', query = ''] = weekSigner(db, clock.now())(thumbnailPath(id)).split('?');
  return [path, query];
}

const fileOf = ({ db }: Workbench, id: string) =>
  db.get<{ file: string }>('SELECT file FROM library WHERE id = ?', id)?.file ?? '';

it('draws a small picture once, however many look at it at the same time', async () => {
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

it('takes it along with the last entry that it shows', async () => {
  const { bench, drawn, served } = await openGallery();
  const [one, two] = [
    await bench.render(bench.ana, 'boat'),
    await bench.render(bench.ben, 'boat', { order: 'another' }),
  ];
  for (const id of [one, two]) await served.draw(...address(bench, id));
  expect(drawn).toEqual(['thumbnail']);
  const remove = (id: string) => bench.db.transact((tx) => removeEntry(tx, bench.files, id));
  await remove(one);
  expect(bench.onDisk()).toHaveLength(2);
  await remove(two);
  expect(bench.onDisk()).toEqual([]);
});

it('makes the render again that it is drawn from, and itself, when the disk was too full for them', async () => {
  const { bench, drawn, served } = await openGallery({ maxDisk: 12 });
  const id = await bench.render(bench.ana, 'boat');
  await served.draw(...address(bench, id));
  await bench.render(bench.ana, 'a long pier');
  await bench.files.settled();
  await served.draw(...address(bench, id));
  expect(drawn).toEqual(['thumbnail', 'image', 'thumbnail']);
});
