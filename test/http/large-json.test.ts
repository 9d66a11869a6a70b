import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseLargeJson } from '../../src/http/large-json.ts';

const parse = (text: string, skimmed: string[] = []) => parseLargeJson(Buffer.from(text), { skimmed });

it('reads any JSON as JSON.parse does, however long its strings', async () => {
  const long = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => text.repeat(9000));
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      long,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(fc.oneof(fc.string(), long), tie('value'), { maxKeys: 4 }),
  })).value;
  await fc.assert(
    fc.asyncProperty(json, async (value) => {
      const text = JSON.stringify(value);
      expect(await parse(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 60 },
  );
});

it.each(['{"a": ', '{"a": "unterminated', '[1,,2]', `{"a": "${'x'.repeat(70_000)}" "b": 1}`])(
  'refuses %.20s… [I101]',
  async (text) => {
    await expect(parse(text)).rejects.toThrow(SyntaxError);
  },
);

it('keeps only the beginning of a long picture in a field that is skimmed, and all of anything else', async () => {
  const picture = `data:image/png;base64,${'A'.repeat(70_000)}`;
  const body = { url: picture, list: [picture], text: picture, deep: { url: `see ${picture}` } };
  const { url, ...rest } = (await parse(JSON.stringify(body, null, 1), ['url'])) as typeof body;
  expect(url).toBe(picture.slice(0, 1024));
  expect(rest).toEqual({ list: [picture], text: picture, deep: body.deep });
});

it('tells what is not UTF-8', async () => {
  const bytes = Buffer.from(`{"a": "${'x'.repeat(70_000)}"}`);
  bytes[100] = 0xff;
  expect(await parseLargeJson(bytes, { skimmed: [] })).toBeUndefined();
});

it.each([0, 1, 2, 3])(
  'checks UTF-8 a piece at a time, none of its characters cut in two (%i bytes on)',
  async (shift) => {
    const text = `${' '.repeat(shift)}{"a": "${'🚤'.repeat(1_200_000)}"}`;
    expect(await parse(text)).toEqual(JSON.parse(text));
    const bytes = Buffer.from(text);
    bytes[4_400_000] = 0xff;
    expect(await parseLargeJson(bytes, { skimmed: [] })).toBeUndefined();
  },
);
