import { hash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { FileFolder } from '../../../src/engine/storage/file-folder.ts';
import { findFile } from '../../../src/engine/storage/file-store.ts';
import { openWorkbench } from './workbench.ts';

const sha = (text: string) => hash('sha256', text, 'hex');

describe('kept files', () => {
  it('stores a file under its name, in a folder of its first two letters', async () => {
    const bench = await openWorkbench();
    await bench.store(bench.ana, 'hello');
    const name = sha('hello');
    expect(bench.files.path(name)).toBe(path.join(bench.folder, 'files', name));
    expect(readFileSync(bench.files.path(name), 'utf8')).toBe('hello');
    expect(bench.inScratch()).toEqual([]);
  });

  it('stores equal bytes once, while at least one object has them [R178]', async () => {
    const bench = await openWorkbench();
    const first = await bench.store(bench.ana, 'same');
    const second = await bench.store(bench.ben, 'same');
    expect(bench.onDisk()).toEqual([sha('same')]);
    await bench.objects.delete(bench.ana, first);
    expect(bench.onDisk()).toEqual([sha('same')]);
    await bench.objects.delete(bench.ben, second);
    expect(bench.onDisk()).toEqual([]);
    expect(findFile(bench.db, sha('same'))).toBeUndefined();
  });

  it('removes files of failed work from disk', async () => {
    const bench = await openWorkbench();
    const file = { bytes: 3, contentType: 'text/plain' };
    const failing = bench.files.withPins(async (pins) => {
      await pins.place(await bench.scratch('one'), sha('one'));
      await pins.place(await bench.scratch('two'), sha('two'));
      await bench.db.transact((tx) => bench.files.register(tx, { ...file, name: sha('two') }, 'upload'));
      throw new Error('no credits');
    });
    await expect(failing).rejects.toThrow('no credits');
    expect(bench.onDisk()).toEqual([]);
    expect(findFile(bench.db, sha('two'))).toBeUndefined();
  });

  it('keeps the file of a failed upload if another upload of the same bytes succeeded', async () => {
    const bench = await openWorkbench();
    const failing = bench.files.withPins(async (pins) => {
      await pins.place(await bench.scratch('twin'), sha('twin'));
      await bench.store(bench.ben, 'twin');
      throw new Error('no credits');
    });
    await expect(failing).rejects.toThrow('no credits');
    expect(bench.onDisk()).toEqual([sha('twin')]);
  });

  it('keeps a file while it is used, even if its object is deleted', async () => {
    const bench = await openWorkbench();
    const id = await bench.store(bench.ana, 'held');
    await bench.files.withPins(async (pins) => {
      expect(pins.find(sha('held'))).toMatchObject({ bytes: 4, contentType: 'text/plain' });
      await bench.objects.delete(bench.ana, id);
      expect(bench.onDisk()).toEqual([sha('held')]);
    });
    expect(bench.onDisk()).toEqual([]);
  });

  it('removes a linked file without harm to the link', async () => {
    const bench = await openWorkbench();
    const id = await bench.store(bench.ana, 'linked');
    const copy = path.join(bench.folder, 'snapshot-copy');
    linkSync(bench.files.path(sha('linked')), copy);
    await bench.objects.delete(bench.ana, id);
    expect(bench.onDisk()).toEqual([]);
    expect(readFileSync(copy, 'utf8')).toBe('linked');
  });

  it('removes unknown files, and rows of files that no longer exist', async () => {
    const bench = await openWorkbench();
    await bench.store(bench.ana, 'stays');
    const stray = sha('stray');
    await bench.disk.place(await bench.scratch('stray'), stray);
    await bench.disk.place(await bench.scratch('unused'), sha('unused'));
    await bench.db.transact((tx) =>
      bench.files.register(tx, { name: sha('unused'), bytes: 6, contentType: 'text/plain' }, 'upload'),
    );
    await bench.files.sweep();
    expect(bench.onDisk()).toEqual([sha('stays')]);
    expect(findFile(bench.db, sha('unused'))).toBeUndefined();
  });
});

describe('what is discarded', () => {
  it('hides a deleted file at once, and removes it when all work is done', async () => {
    const bench = await openWorkbench();
    const names = Array.from({ length: 20 }, (_, at) => sha(`old ${at}`));
    for (const [at, name] of names.entries()) {
      await bench.disk.place(await bench.scratch(`old ${at}`), name);
    }
    for (const name of names) bench.disk.discard(name);
    expect(bench.onDisk()).toEqual([]);
    await bench.disk.settled();
    expect(bench.inScratch()).toEqual([]);
  });
});

describe('a disk that refuses', () => {
  it('removes the temporary file if the bytes cannot be stored [I170]', async () => {
    const bench = await openWorkbench();
    const disk = new FileFolder({
      dataFolder: bench.folder,
      scratch: path.join(bench.folder, 'scratch'),
      durable: true,
      random: new Random(),
    });
    const name = sha('late');
    const scratch = await bench.scratch('late');
    rmSync(path.join(bench.folder, 'files'), { recursive: true });
    writeFileSync(path.join(bench.folder, 'files'), 'in the way');
    await expect(disk.place(scratch, name)).rejects.toThrow();
    expect(bench.inScratch()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('reports a folder that cannot be created [I170]', () => {
    // Nobody, not even root, may make a folder there.
    const options = { dataFolder: '/sys/kernel', scratch: '/sys/kernel/scratch', durable: true };
    expect(() => new FileFolder({ ...options, random: new Random() })).toThrow(
      expect.objectContaining({ code: 'storage_full' }),
    );
  });
});
