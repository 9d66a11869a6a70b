import { describe, expect, it } from 'vitest';
import { indexEntries, listEntries } from '../../../src/engine/library/library.ts';
import { entryName, findEntry } from '../../../src/engine/library/library-store.ts';
import { openWorkbench } from '../storage/workbench.ts';

describe('the library', () => {
  it('keeps a render with its recipe, its seed and what makes it again [R053 I047]', async () => {
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

  it('lists newest first, of one account or of all, by pages [I089]', async () => {
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

  it('pages through a stretch of time in the order of the clock, also where it was set back [I089]', async () => {
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
    await indexEntries(bench.db);
    expect(listEntries(bench.db, worded).map(({ id }) => id)).toEqual([late, middle, same, early]);
    const phrase = { since, text: 'LATE' };
    expect(listEntries(bench.db, phrase).map(({ id }) => id)).toEqual([late]);
    expect(listEntries(bench.db, { text: 'mid' }).map(({ id }) => id)).toEqual([middle]);
  });

  it.each([
    ['image/png', 'lib_1.png'],
    ['video/mp4', 'lib_1.mp4'],
    ['audio/mpeg', 'lib_1.mp3'],
  ])('names a file of type %s %s', (contentType, name) => {
    expect(entryName({ id: 'lib_1', contentType })).toBe(name);
  });

  it('gives the same id to the same render of a fresh instance with the same seed', async () => {
    const one = await openWorkbench();
    const two = await openWorkbench();
    expect(await one.render(one.ana, 'boat')).toBe(await two.render(two.ana, 'boat'));
  });
});
