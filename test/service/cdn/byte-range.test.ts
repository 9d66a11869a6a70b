import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRange } from '../../../src/service/cdn/file-headers.ts';

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
  ])('%s of %i bytes is read as %j [I042]', (header, size, expected) => {
    expect(readRange(header, size)).toEqual(expected && { start: expected[0], end: expected[1] });
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-20', 10],
    ['bytes=99999999999999999999999-', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
  ])('%s of %i bytes is refused with the size [I166]', (header, size) => {
    expect(() => readRange(header, size)).toThrow(
      expect.objectContaining({
        code: 'range_not_satisfiable',
        headers: { 'content-range': `bytes */${size}` },
      }),
    );
  });

  it('never leads out of the file [I042]', () => {
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
