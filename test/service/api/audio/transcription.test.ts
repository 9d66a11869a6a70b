import { spawnSync } from 'node:child_process';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { expect, it } from 'vitest';
import { bareFrames, foreignTag, waveFile } from '../../../media/audio/audio-samples.ts';
import { type TestAccount, world } from '../../../support/world.ts';

const here = await world();
const TRANSCRIPTIONS = '/audio/transcriptions';
const second = waveFile(32_000);

function transcribe(account: TestAccount, bytes: Buffer | undefined, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (bytes) form.append('file', new File([new Uint8Array(bytes)], 'voice.wav'));
  return account.post(TRANSCRIPTIONS, form);
}

it.each([
  ['a WAV file', second, 'R023 R128 R172'],
  ['an MP3 file', bareFrames(42), 'R023 R128 R173'],
  ['an MP3 file with a tag of another program', Buffer.concat([foreignTag(), bareFrames(42)]), 'R173'],
])('writes down %s for 5 credits [%s]', async (_what, bytes, _rule) => {
  const ana = await here.account();
  const { status, body } = await transcribe(ana, bytes);
  expect(status).toBe(200);
  expect(body).toEqual({
    model: 'svc-scribe-one',
    text: expect.stringMatching(/\S/),
    usage: { credits_spent: 5, credits_remaining: 45 },
  });
  expect(body.text).not.toContain('Words of another program');
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -5']);
  expect(await ana.events()).toEqual([]);
  expect(await ana.library()).toEqual([]);
});

it.each([
  ['WMA 2', 0x161],
  ['AC-3', 0x2000],
  ['AAC', 0xff],
  ['AMR', 0x57],
])('refuses a WAV file whose format tag chooses %s, free of charge [R172]', async (_what, tag) => {
  const ana = await here.account();
  const { status, body } = await transcribe(ana, waveFile(32_000, { tag }));
  expect([status, body.error.code, body.error.param]).toEqual([415, 'unsupported_media_type', 'file']);
  expect(body.error.message).toContain(`0x${tag.toString(16).padStart(4, '0')}`);
  expect(await ana.ledger()).toEqual(['grant 50']);
});

it('writes down what its own speech says, whatever it says [R023 R128 R173 I068]', async () => {
  const ana = await here.account();
  for (const input of ['The tide is low.', 'Grüße, 你好 🌊\nand a second line']) {
    const speech = await ana.post('/audio/speech', { input, voice: 'orion' });
    const { body } = await transcribe(ana, speech.bytes, {
      model: 'svc-scribe-one',
      language: 'en',
    });
    expect(body.text).toBe(input);
    expect(body.usage.credits_spent).toBe(5);
  }
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'charge -5', 'charge -3', 'charge -5']);
});

it('hears the same in the same audio, other words in other audio, and more in a longer one [I069 I097]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const { body: one } = await transcribe(ana, second);
  const { body: again } = await transcribe(ben, second);
  const { body: long } = await transcribe(ana, waveFile(320_000));
  expect(again.text).toBe(one.text);
  expect(long.text.length).toBeGreaterThan(3 * one.text.length);
});

it.each(['de', 'DE', 'de-AT', 'fr'])('hears the language %s [R175 I181]', async (language) => {
  const ana = await here.account();
  const { body: hinted, headers } = await transcribe(ana, waveFile(64_000), { language });
  const { body: plain } = await transcribe(ana, waveFile(64_000));
  expect(headers.get('svc-emulator-warnings')).toBeNull();
  expect(hinted.text).not.toBe(plain.text);
});

it.each(['tlh', 'x'])('ignores the language %s with a warning [R175 I181]', async (language) => {
  const ana = await here.account();
  const { status, body, headers } = await transcribe(ana, second, { language });
  const { body: plain } = await transcribe(ana, second);
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([200, 'language;unsupported']);
  expect(body.text).toBe(plain.text);
});

it.each<[string, Buffer | undefined, Record<string, string>, number, string, string]>([
  ['no file', undefined, {}, 400, 'file', 'R171'],
  ['no file but its name', undefined, { file: 'voice.wav' }, 400, 'file', 'R171'],
  ['another kind of model', second, { model: 'svc-voice-one' }, 400, 'model', 'R174 I102'],
  ['an unknown model', second, { model: 'whisper-1' }, 404, 'model', 'R174'],
  ['an overlong language', second, { language: 'x'.repeat(36) }, 400, 'language', 'R175'],
  ['a text file', Buffer.from('just words, no audio at all'), {}, 415, 'file', 'I015'],
  ['an empty file', Buffer.alloc(0), {}, 415, 'file', 'I015'],
  ['a WAV file that is cut', second.subarray(0, 20_000), {}, 400, 'file', 'R172'],
  ['an MP3 file that is cut', bareFrames(3).subarray(0, 2000), {}, 400, 'file', 'R173'],
])('refuses %s and charges nothing [%s]', async (_what, bytes, fields, status, param, _rules) => {
  const ana = await here.account();
  const answer = await transcribe(ana, bytes, fields);
  expect([answer.status, answer.body.error.param]).toEqual([status, param]);
  expect(await ana.ledger()).toEqual(['grant 50']);
});

it.each([
  ['JSON', { file: 'abc' }],
  ['nothing', undefined],
])('refuses a body of %s for its type [R171 I015 I101]', async (_what, body) => {
  const ana = await here.account();
  const answer = await ana.post(TRANSCRIPTIONS, body);
  expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type']);
  expect(answer.body.error.message).toContain('multipart/form-data');
  expect(await ana.ledger()).toEqual(['grant 50']);
});

/** A file after another program has read and written it. */
function rewritten(file: Buffer, way: string[]): Buffer {
  return spawnSync(ffmpeg.path, ['-v', 'error', '-i', 'pipe:0', ...way, 'pipe:1'], { input: file }).stdout;
}

it.each<[how: string, change: (file: Buffer) => Buffer]>([
  ['sent back as it is', (file) => file],
  ['copied with other names for its tags', (file) => rewritten(file, ['-c', 'copy', '-f', 'mp3'])],
  ['encoded anew with its tags', (file) => rewritten(file, ['-b:a', '48k', '-f', 'mp3'])],
])('writes down what its own speech says after it was %s [R173 I068]', async (_how, change) => {
  const ana = await here.account({ credits: 5000 });
  for (const input of ['The tide is low and the boats lie in the mud.', 'The goats cry in the wood.']) {
    const { bytes } = await ana.post('/audio/speech', { input, voice: 'aria' });
    const { body } = await transcribe(ana, change(bytes));
    expect(body.text).toBe(input);
  }
});

it('writes down a text of its own for speech whose tags were taken out [I069]', async () => {
  const ana = await here.account({ credits: 5000 });
  const input = 'The tide is low and the boats lie in the mud.';
  const { bytes } = await ana.post('/audio/speech', { input, voice: 'aria' });
  const bare = rewritten(bytes, ['-map_metadata', '-1', '-id3v2_version', '0', '-c', 'copy', '-f', 'mp3']);
  const { status, body } = await transcribe(ana, bare);
  expect([status, body.text === input]).toEqual([200, false]);
  expect(body.text).not.toBe('');
});
