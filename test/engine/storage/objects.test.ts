import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sanitizeFileName } from '../../../src/engine/storage/object-store.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

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
])('sanitizes the name %j of an uploaded file to %j [I045 I214]', (given, expected) => {
  expect(sanitizeFileName(given)).toBe(expected);
});

it('sanitizes any file name to at most 100 safe characters, and does not change a sanitized name [I045]', () => {
  const piece = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.constantFrom('.', '..', '/', '\\', 'a'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const name = sanitizeFileName(pieces.join(''));
      expect(name).toMatch(/^[A-Za-z0-9._-]{1,100}$/);
      expect(name).not.toMatch(/^\.+$/);
      expect(sanitizeFileName(name)).toBe(name);
    }),
  );
});
