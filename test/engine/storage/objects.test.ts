import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeName } from '../../../src/engine/storage/objects.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { openWorkbench } from './workbench.ts';

describe('storage objects', () => {
  it('lists each object once in pages while the list grows [I046]', async () => {
    const bench = await openWorkbench();
    const ids = new Set<string>();
    for (const text of ['a', 'b', 'c', 'd', 'e']) ids.add(await bench.store(bench.ana, text));
    const seen: string[] = [];
    const next = () => {
      const page = bench.objects.list(bench.db, bench.ana, { limit: 2, after: seen.at(-1) });
      seen.push(...page.map(({ id }) => id));
      return page.length;
    };
    expect(next()).toBe(2);
    await bench.store(bench.ana, 'late');
    expect([next(), next(), next()]).toEqual([2, 1, 0]);
    expect(seen).toEqual([...ids].toReversed());
  });

  it('lists all storage objects without a limit [I046]', async () => {
    const bench = await openWorkbench();
    for (let n = 0; n <= 1000; n += 1) await bench.store(bench.ana, 'same');
    expect(bench.objects.list(bench.db, bench.ana)).toHaveLength(1001);
  });

  it('stores no object whose transaction fails', async () => {
    const bench = await openWorkbench();
    const file = 'ab'.repeat(32);
    const failing = bench.db.transact((tx) => {
      const order = { accountId: bench.ana, name: 'x', file, bytes: 1, contentType: 'text/plain' };
      bench.objects.create(tx, order);
      throw new Error('no credits');
    });
    await expect(failing).rejects.toThrow('no credits');
    expect(bench.objects.list(bench.db, bench.ana)).toEqual([]);
  });
});

describe('a sanitized name', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['My Song (final).mp3', 'MySongfinal.mp3'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\clip_1-2.mp4', 'clip_1-2.mp4'],
    ['folder/', 'folder'],
    ['größe.txt', 'groe.txt'],
    ['.env', 'file.env'],
    ['', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['/', 'file'],
    ['日本語', 'file'],
    ['日本語.png', 'file.png'],
    ['..a.b', 'file.a.b'],
    ['a\r\nset-cookie: x', 'aset-cookiex'],
    ['"quoted"', 'quoted'],
    ['x'.repeat(200), 'x'.repeat(100)],
    [`${'x'.repeat(200)}.jpeg`, `${'x'.repeat(95)}.jpeg`],
  ])('stores a file with the name %j as %j [R025 R177 I045 I214]', (given, expected) => {
    expect(sanitizeName(given)).toBe(expected);
  });

  it('sanitizes any file name to a short path segment, once and for all [I045]', () => {
    const piece = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.constantFrom('.', '..', '/', '\\', 'a'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const name = sanitizeName(pieces.join(''));
        expect(name).toMatch(/^[A-Za-z0-9._-]{1,100}$/);
        expect(name).not.toMatch(/^\.+$/);
        expect(sanitizeName(name)).toBe(name);
      }),
    );
  });
});
