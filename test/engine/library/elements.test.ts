import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EmulatorError, invalid } from '../../../src/base/errors.ts';
import { Elements, handlesIn, normalizeHandle } from '../../../src/engine/library/elements.ts';
import { objectPath } from '../../../src/engine/storage/cdn-url.ts';
import { References } from '../../../src/engine/storage/references.ts';
import { openWorkbench, type Workbench } from '../storage/workbench.ts';

interface Studio extends Workbench {
  elements: Elements;
  references: References;
}

/** A picture here is whatever begins with PIC. */
async function openStudio(): Promise<Studio> {
  const bench = await openWorkbench();
  const references = new References({
    db: bench.db,
    files: bench.files,
    isOwnUrl: (url) => url.host === 'localhost:4600' && url.pathname.startsWith('/cdn/'),
    readOwn: async (url) => {
      const { file } = bench.served.find(url.pathname, url.search.slice(1));
      return bench.served.read(file);
    },
    probePicture: (bytes) => {
      if (!bytes.toString().startsWith('PIC')) throw invalid(null, 'It is no PNG, JPEG or WebP.');
      return { contentType: 'image/png' };
    },
    probeVoice: () => ({ contentType: 'audio/wav' }),
  });
  return { ...bench, references, elements: new Elements({ ...bench, references }) };
}

const dataUrl = (text: string) => `data:image/png;base64,${Buffer.from(text).toString('base64')}`;
const sha = (text: string) => hash('sha256', text, 'hex');
const cat = { handle: 'Kit', kind: 'character', name: 'Kit the cat' };

describe('elements', () => {
  it('stores handles of elements in lower case, and lists elements newest first [I089]', async () => {
    const { elements, db, ana, ben } = await openStudio();
    const kit = await elements.create(ana, cat);
    const hat = await elements.create(ben, { handle: 'hat', kind: 'prop', name: 'Hat' });
    expect(kit).toMatchObject({ handle: 'kit', kind: 'character', name: 'Kit the cat', picture: null });
    expect(kit.id).toMatch(/^el_[0-9a-f]{24}$/);
    expect(elements.list(db).map(({ id }) => id)).toEqual([hat.id, kit.id]);
    expect(elements.list(db, { accountId: ana })).toEqual([kit]);
    expect(elements.list(db, { limit: 1, after: hat.id })).toEqual([kit]);
    expect(elements.figure(kit)).toEqual({ handle: 'kit', kind: 'character', name: 'Kit the cat' });
  });

  it.each(['', '@', 'two words', 'x'.repeat(33), 'ü'])('rejects the element handle %j', async (handle) => {
    const { elements, ana } = await openStudio();
    await expect(elements.create(ana, { ...cat, handle })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'handle',
    });
  });

  it('rejects a second element with the same handle, and stores no image of it', async () => {
    const studio = await openStudio();
    await studio.elements.create(studio.ana, cat);
    await studio.elements.create(studio.ben, cat);
    const again = { ...cat, handle: 'KIT', image: dataUrl('PIC') };
    await expect(studio.elements.create(studio.ana, again)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'handle',
    });
    expect(studio.onDisk()).toEqual([]);
  });

  it('finds elements by id or handle within their account, and names an unknown one by its index [I115 R164]', async () => {
    const { elements, ana, ben } = await openStudio();
    const kit = await elements.create(ana, cat);
    const hat = await elements.create(ana, { handle: 'hat', kind: 'prop', name: 'Hat' });
    expect(elements.resolve(ana, [kit.id, '@HAT', 'kit'])).toEqual({ elements: [kit, hat, kit] });
    expect(elements.resolve(ana, ['kit', 'dog', 'cow'])).toEqual({ unknown: 1 });
    expect(elements.resolve(ben, [kit.id])).toEqual({ unknown: 0 });
    expect(elements.resolve(ben, ['kit'])).toEqual({ unknown: 0 });
    expect(elements.resolve(ana, [])).toEqual({ elements: [] });
  });

  it('stores the image of an element as a file, wherever the data folder is', async () => {
    const studio = await openStudio();
    const kit = await studio.elements.create(studio.ana, { ...cat, image: dataUrl('PIC of Kit') });
    expect(kit.picture).toEqual({ sha256: sha('PIC of Kit') });
    await studio.files.sweep();
    const { picture } = studio.elements.figure(kit);
    const path = picture && 'path' in picture ? picture.path : '';
    expect(readFileSync(path, 'utf8')).toBe('PIC of Kit');
    expect(studio.inScratch()).toEqual([]);
  });
});

describe('reference pictures', () => {
  const read = ({ references, files }: Studio, url: string) =>
    files.withPins((pins) => references.read(url, { param: 'end_reference', pins }));

  it("reads images of elements from data URLs and the emulator's CDN only", async () => {
    const studio = await openStudio();
    const id = await studio.store(studio.ana, 'PIC stored', 'p.png');
    const own = `http://localhost:4600${objectPath({ id, name: 'p.png' })}`;
    expect(await read(studio, own)).toMatchObject({ sha256: sha('PIC stored') });
    expect(await read(studio, dataUrl('PIC given'))).toMatchObject({ sha256: sha('PIC given') });
    const foreign = 'https://example.com/cdn/objects/x/p.png';
    expect(await read(studio, foreign)).toEqual({ standIn: sha(foreign) });
  });

  it('removes the image of an element from disk if nothing refers to it', async () => {
    const studio = await openStudio();
    await studio.files.withPins(async (pins) => {
      await studio.references.read(dataUrl('PIC given'), { param: 'reference', pins });
      expect(studio.onDisk()).toEqual([sha('PIC given')]);
    });
    expect(studio.onDisk()).toEqual([]);
  });

  it.each([
    ['broken base64', 'data:image/png;base64,UElD!AAA', 'contains "!" as character 5. Encode the bytes again'],
    ['base64 without padding', 'data:image/png;base64,UElDaQ', 'has 6 characters, which is not a multiple of 4.'],
    ['base64 with padding inside', 'data:image/png;base64,UE==UElD', 'contains "=" as character 4.'],
    ['base64 of padding', 'data:image/png;base64,====', 'has too much padding.'],
    ['no bytes', 'data:image/png;base64,', 'is empty. Encode'],
    ['no base64', 'data:image/png,PIC', 'as in data:image/png;base64,…, not '],
    ['another type', 'data:text/plain;base64,UElD', 'must be a data URL of an image in base64'],
    ['no comma', 'data:image/png;base64', 'must be a data URL of an image in base64'],
    ['no picture', dataUrl('text'), 'which cannot be read as an image.'],
    ['no URL', 'a red boat', 'must be a data URL or an http(s) URL of an image'],
    ['another scheme', 'file:///etc/passwd', 'must be a data URL or an http(s) URL'],
    ['a bad host', 'http://[bad/x.png', 'must be a data URL or an http(s) URL'],
    [
      'an object that is not there',
      'http://localhost:4600/cdn/objects/obj_0/p.png',
      'which cannot be read as an image',
    ],
    ['an unsigned entry', 'http://localhost:4600/cdn/library/lib_0/p.png', 'which cannot be read as an image'],
  ])('rejects an element with %s, and names field, value and fault', async (_what, url, fault) => {
    const studio = await openStudio();
    await expect(read(studio, url)).rejects.toMatchObject({
      constructor: EmulatorError,
      code: 'invalid_request',
      param: 'end_reference',
      message: expect.stringContaining(fault),
    });
    await expect(read(studio, url)).rejects.toThrow(JSON.stringify(url.slice(0, 60)));
    expect([...studio.onDisk(), ...studio.inScratch()]).toEqual([]);
  });
});

describe('handles', () => {
  it.each([
    ['@mira walks with @Tom-2', ['mira', 'tom-2']],
    ['(@mira), "@mira"; @MIRA!', ['mira']],
    ["@mira's hat. @a_b.", ['mira', 'a_b']],
    ['mail me@mira.example or @@mira', []],
    [`@${'x'.repeat(33)} and @${'y'.repeat(32)}`, ['y'.repeat(32)]],
    ['@ mira, @', []],
    ['', []],
  ])('finds element handles in %j [R164]', (prompt, expected) => {
    expect(handlesIn(prompt)).toEqual(expected);
  });

  it.each([
    ['Mira', 'mira'],
    ['@Mira_2-b', 'mira_2-b'],
    ['', undefined],
    ['@', undefined],
    ['two words', undefined],
    ['é', undefined],
    ['x'.repeat(33), undefined],
  ])('treats the handle %j as %j [I089]', (text, expected) => {
    expect(normalizeHandle(text)).toBe(expected);
  });
});
