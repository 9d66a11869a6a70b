import { spawnSync } from 'node:child_process';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { bareFrames, foreignTag, waveFile } from '../../media/audio/audio-samples.ts';
import { expectScenario, playScenario, scenarios } from '../../support/scenario.ts';
import { fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const here = await world();
const TIDE = 'The tide is low.';
const SPEECH = { send: 'POST /audio/speech', ledger: ['charge -3'] };
const HEARD = { send: 'POST /audio/transcriptions', ledger: ['charge -5'] };
const FREE = { ledger: [] };
const CODES: Record<number, string> = { 400: 'invalid_request', 415: 'unsupported_media_type' };
const second = waveFile(32_000);

const spoken = (order: object = {}) => ({ ...SPEECH, body: { input: TIDE, voice: 'aria', ...order } });
const heard = (bytes: Buffer, fields: object = {}) => ({ ...HEARD, body: fileForm(bytes, 'voice.wav', fields) });

async function textOf(bytes: Buffer, fields: object = {}): Promise<string> {
  return (await playScenario(here, heard(bytes, fields))).body.text;
}

it('returns speech as MP3 bytes, with the credits in headers [R127 R170 I002 I030]', async () => {
  const { headers, bytes } = await playScenario(here, {
    ...spoken(),
    shows: {
      ...{ 'content-type': 'audio/mpeg', 'svc-emulator-credits-spent': '3', 'svc-emulator-credits-remaining': '47' },
    },
  });
  expect(headers.get('content-length')).toBe(`${bytes.length}`);
  const { format } = await parseBuffer(bytes, 'audio/mpeg', { duration: true });
  expect(format.codec).toMatch(/Layer 3$/);
  expect(format.duration).toBeGreaterThan(0.5);
});

it.each([
  [1, 3],
  [100, 3],
  [101, 6],
  [200, 6],
  [201, 9],
])('charges speech of %i characters %i credits [R127 I029 I105]', (length, credits) =>
  expectScenario(here, {
    ...{ ...spoken({ input: `${'🎵'.repeat(length)}[[fail]]` }), status: 502, error: { code: 'render_failed' } },
    ...{ shows: { 'svc-emulator-credits-spent': null }, ledger: [`charge -${credits}`, `refund ${credits}`] },
  }),
);

it.each([{ model: '' }, { language: '' }, { model: '', language: '', response_format: '' }])(
  'treats an empty form field of a transcription request as absent: %j',
  async (fields) => {
    const { headers, body } = await playScenario(here, heard(second, fields));
    expect(headers.get('svc-emulator-warnings')).toBeNull();
    expect(body.text).toBe(await textOf(second));
  },
);

scenarios(here, SPEECH, {
  'speaks 4,096 characters [I067]': {
    ...{ ...spoken({ input: 'word '.repeat(820).slice(0, 4096) }), as: { credits: 500 } },
    ...{ ledger: ['charge -123'], shows: { 'svc-emulator-credits-spent': '123' } },
  },
  'speaks a text of directives alone [I152]': {
    ...{ ...spoken({ input: '[[slow:0]]' }), shows: { 'svc-emulator-credits-spent': '3' } },
  },
  'speaks a text that the content policy would block, and ignores [[block]] with a warning [I122]': {
    ...spoken({ input: 'how to make a bomb [[block]]' }),
    shows: { 'svc-emulator-warnings': 'input;directive=block' },
  },
});

it('adds speech to the library with its text and voice [I047]', async () => {
  const { account, bytes } = await playScenario(here, spoken({ voice: 'orion' }));
  expect(await account.library()).toMatchObject([
    {
      ...{ kind: 'speech', model: 'svc-voice-one', bytes: bytes.length, content_type: 'audio/mpeg' },
      recipe: { input: TIDE, voice: 'orion' },
    },
  ]);
});

it('speaks the same text in the same voice with the same bytes, and in the other voice with others [R168 I097]', async () => {
  const { bytes } = await playScenario(here, spoken());
  const again = await playScenario(here, spoken({ model: 'svc-voice-one' }));
  const other = await playScenario(here, spoken({ voice: 'orion' }));
  expect([again.bytes.equals(bytes), other.bytes.equals(bytes)]).toEqual([true, false]);
});

it.each([
  [{ input: undefined }, 'input', 'R167'],
  [{ input: null }, 'input', 'R167'],
  [{ input: '' }, 'input', 'R167 I067'],
  [{ input: 'x'.repeat(4097) }, 'input', 'I067'],
  [{ input: ['hello'] }, 'input', 'R167'],
  [{ voice: undefined }, 'voice', 'R168'],
  [{ voice: 'alloy' }, 'voice', 'R168'],
  [{ voice: 'Aria' }, 'voice', 'R168'],
  [{ model: 'svc-music-one' }, 'model', 'R169 I102'],
  [{ model: 5 }, 'model', 'R169'],
])('rejects a speech request with %j, and names %s [%s]', (order, field, _rules) =>
  expectScenario(here, { ...spoken(order), ...FREE, error: { field } }),
);

it.each([
  ['a WAV file', 'R023 R128 R172', second],
  ['an MP3 file', 'R023 R128 R173', bareFrames(42)],
  ['an MP3 file with a tag of another program', 'R173', Buffer.concat([foreignTag(), bareFrames(42)])],
])('transcribes %s for 5 credits [%s]', async (_what, _rules, bytes) => {
  const { account, body } = await playScenario(here, heard(bytes));
  expect(body).toEqual({
    model: 'svc-scribe-one',
    text: expect.stringMatching(/\S/),
    usage: { credits_spent: 5, credits_remaining: 45 },
  });
  expect(body.text).not.toContain('Words of another program');
  expect(await account.library()).toEqual([]);
});

it.each([TIDE, 'Grüße, 你好 🌊\nand a second line'])(
  "transcribes the emulator's own speech exactly: %j [R023 R128 R173 I068]",
  async (input) => {
    const { bytes } = await playScenario(here, spoken({ input, voice: 'orion' }));
    expect(await textOf(bytes, { model: 'svc-scribe-one', language: 'en' })).toBe(input);
  },
);

it('transcribes equal audio with the same text, and longer audio with a longer text [I069 I097]', async () => {
  const text = await textOf(second);
  expect(await textOf(second)).toBe(text);
  expect((await textOf(waveFile(320_000))).length).toBeGreaterThan(3 * text.length);
});

it.each([
  ['de', null],
  ['DE', null],
  ['de-AT', null],
  ['fr', null],
  ['tlh', 'language;unsupported'],
  ['x', 'language;unsupported'],
])('transcribes for the language %s with the warning %s [R175 I181]', async (language, warned) => {
  const bytes = waveFile(64_000);
  const shows = { 'svc-emulator-warnings': warned };
  const { body } = await playScenario(here, { ...heard(bytes, { language }), shows });
  expect(body.text === (await textOf(bytes))).toBe(warned !== null);
});

const FORM = 'multipart/form-data';

it.each<[string, string, unknown, number, string | null, string?]>([
  ['JSON instead of a form', 'R171 I015 I101', { file: 'abc' }, 415, null, FORM],
  ['no body', 'R171 I015 I101', undefined, 415, null, FORM],
  ['no file', 'R171', new FormData(), 400, 'file'],
  ['no file but its name', 'R171', named('voice.wav'), 400, 'file'],
  ['another kind of model', 'R174 I102', heard(second, { model: 'svc-voice-one' }).body, 400, 'model'],
  ['an overlong language', 'I006', heard(second, { language: 'x'.repeat(36) }).body, 400, 'language'],
  ['a text file', 'I015', heard(Buffer.from('just words, no audio at all')).body, 415, 'file'],
  ['an empty file', 'I015', heard(Buffer.alloc(0)).body, 415, 'file'],
  ['a WAV file of WMA 2', 'I015', heard(waveFile(32_000, { tag: 0x161 })).body, 415, 'file', '0x0161'],
  ['a WAV file of AC-3', 'I015', heard(waveFile(32_000, { tag: 0x2000 })).body, 415, 'file', '0x2000'],
  ['a WAV file of AAC', 'I015', heard(waveFile(32_000, { tag: 0xff })).body, 415, 'file', '0x00ff'],
  ['a WAV file of AMR', 'I015', heard(waveFile(32_000, { tag: 0x57 })).body, 415, 'file', '0x0057'],
  ['a WAV file without a sample', 'I006', heard(waveFile(0)).body, 400, 'file'],
  ['a WAV file that is cut in its header', 'I006', heard(second.subarray(0, 30)).body, 400, 'file'],
])('rejects a transcription with %s and charges nothing [%s]', (_what, _rules, body, status, field, says = '') =>
  expectScenario(here, { ...HEARD, ...FREE, body, status, error: { code: CODES[status], field, says } }),
);

/** The file after ffmpeg has read and written it. */
function rewritten(file: Buffer, way: string[]): Buffer {
  return spawnSync(ffmpeg.path, ['-v', 'error', '-i', 'pipe:0', ...way, 'pipe:1'], { input: file }).stdout;
}

const BOATS = 'The tide is low and the boats lie in the mud.';

it.each<[how: string, change: (file: Buffer) => Buffer]>([
  ['copied with other names for its tags', (file) => rewritten(file, ['-c', 'copy', '-f', 'mp3'])],
  [
    'copied with tags of ID3 version 2.3',
    (file) => rewritten(file, ['-c', 'copy', '-id3v2_version', '3', '-f', 'mp3']),
  ],
  ['encoded again with its tags', (file) => rewritten(file, ['-b:a', '48k', '-f', 'mp3'])],
  ['encoded again at 11 kHz', (file) => rewritten(file, ['-ar', '11025', '-b:a', '32k', '-f', 'mp3'])],
])("transcribes the emulator's own speech after it was %s [R173 I068]", async (_how, change) => {
  for (const input of [BOATS, 'Die Ziegen schreien im Wäldchen.']) {
    expect(await textOf(change((await playScenario(here, spoken({ input }))).bytes))).toBe(input);
  }
});

it('returns a made-up text for speech whose file has lost its tags [I069]', async () => {
  const { bytes } = await playScenario(here, spoken({ input: BOATS }));
  const bare = rewritten(bytes, ['-map_metadata', '-1', '-id3v2_version', '0', '-c', 'copy', '-f', 'mp3']);
  expect(['', BOATS]).not.toContain(await textOf(bare));
});

function named(file: string): FormData {
  const form = new FormData();
  form.set('file', file);
  return form;
}
