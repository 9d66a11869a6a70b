import fc from 'fast-check';
import { expect, it } from 'vitest';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { parseFrameHeader } from '../../../src/media/mp3/stream-format.ts';
import type { SpeechRequest } from '../../../src/media/render-request.ts';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { decode, rendered } from './audio-tools.ts';
import { framesOf } from './frame-sides.ts';
import { pauses, pitch, spoken } from './voice-measures.ts';

const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

function speech(text: string, voice: SpeechRequest['voice'] = 'aria') {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  return rendered((target, tools) => renderSpeech(request, target, tools));
}

it.each([
  ['a sentence', SENTENCE, 'aria'],
  ['the other voice', SENTENCE, 'orion'],
  ['Russian', 'Привет, как дела?', 'orion'],
  ['Japanese', '今日はいい天気ですね。', 'aria'],
  ['marks without words', '?!… 🎵 --', 'aria'],
  ['nothing', '', 'orion'],
] as const)(
  'speaks %s as an MP3 of the right length, the same each time [R170 I068 I097]',
  async (_what, text, voice) => {
    const { bytes, file } = await speech(text, voice);
    const seconds = decode(bytes).length / 16_000;
    expect(file).toEqual({ bytes: bytes.length, contentType: 'audio/mpeg', seconds });
    expect(probeAudio(bytes)).toEqual({ format: 'mp3', seconds, text });
    const kinds = framesOf(bytes).map((frame) => JSON.stringify(parseFrameHeader(frame, 0)));
    expect(new Set(kinds).size).toBe(1);
    expect((await speech(text, voice)).bytes.equals(bytes)).toBe(true);
  },
);

it('speaks twice as long for twice the text', async () => {
  const texts = [1, 2, 4, 8].map((times) => spoken(SENTENCE.repeat(times)));
  const seconds = (await Promise.all(texts)).map(({ length }) => length / 16_000);
  const perText = seconds.map((length, i) => length / 2 ** i);
  expect(Math.max(...perText) / Math.min(...perText)).toBeLessThan(1.15);
});

it('gives aria a voice one octave above orion', async () => {
  const aria = pitch(await spoken('aaaa aaaa', 'aria'));
  const orion = pitch(await spoken('aaaa aaaa', 'orion'));
  expect(aria).toBeGreaterThan(180);
  expect(orion).toBeLessThan(125);
});

it.each(['aria', 'orion'] as const)(
  'raises the voice %s at a question mark and lowers it at a full stop',
  async (voice) => {
    const ending = async (text: string) => {
      const samples = await spoken(text, voice);
      return pitch(samples.subarray(samples.length - 12_333, samples.length - 10_000));
    };
    const [asked, told] = [await ending('Are you alone aa?'), await ending('Are you alone aa.')];
    expect(asked).toBeGreaterThan(1.3 * told);
  },
);

it.each([
  ['one two three', 0],
  ['one, two three', 1],
  ['one. two, three', 2],
  ['one\ntwo; three - four', 3],
])('pauses in %j %i times', async (text, count) => {
  expect(pauses(await spoken(text))).toBe(count);
});

it('speaks longer words for a longer time', async () => {
  const words = await Promise.all(['no', 'banana', 'mediterranean'].map((word) => spoken(word)));
  const lengths = words.map(({ length }) => length);
  expect(lengths).toEqual([...lengths].sort((one, other) => one - other));
});

it('speaks any text without an error, and never clips [I068]', async () => {
  const text = fc.string({ unit: ANY_CHARACTER, maxLength: 40 });
  const property = fc.asyncProperty(text, async (words) => {
    const samples = await spoken(words);
    expect(samples.length).toBeGreaterThan(2_000);
    expect(samples.every((sample) => Math.abs(sample) < 29_000)).toBe(true);
  });
  await fc.assert(property, { numRuns: 20 });
});
