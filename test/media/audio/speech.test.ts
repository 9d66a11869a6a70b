import fc from 'fast-check';
import { expect, it } from 'vitest';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { parseFrameHeader } from '../../../src/media/mp3/stream-format.ts';
import type { SpeechRequest } from '../../../src/media/render-request.ts';
import { renderSpeech, synthesizeSpeech } from '../../../src/media/speech/render-speech.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { decode, rendered } from './audio-tools.ts';
import { framesOf } from './frame-sides.ts';

const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

function speech(text: string, voice: SpeechRequest['voice'] = 'aria') {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  return rendered((target, tools) => renderSpeech(request, target, tools));
}

/** The samples of a spoken text, before any encoder. */
function spoken(text: string): number[] {
  return [...synthesizeSpeech({ text, voice: 'aria' }).pieces].flatMap((piece) => [...piece]);
}

it.each([
  ['a sentence', SENTENCE, 'aria'],
  ['a sentence with the voice orion', SENTENCE, 'orion'],
  ['Russian', 'Привет, как дела?', 'orion'],
  ['Japanese', '今日はいい天気ですね。', 'aria'],
  ['marks without words', '?!… 🎵 --', 'aria'],
  ['an empty text', '', 'aria'],
] as const)(
  'speaks %s as an MP3 that has the stated length and carries the text [R170 I068]',
  async (_what, text, voice) => {
    const { bytes, file } = await speech(text, voice);
    const seconds = decode(bytes).length / 16_000;
    expect(file).toEqual({ bytes: bytes.length, contentType: 'audio/mpeg', seconds });
    expect(probeAudio(bytes)).toEqual({ format: 'mp3', seconds, text });
    const kinds = framesOf(bytes).map((frame) => JSON.stringify(parseFrameHeader(frame, 0)));
    expect(new Set(kinds).size).toBe(1);
  },
);

it('speaks for about twice as many seconds if the text is twice as long', () => {
  const seconds = [1, 2, 4, 8].map((times) => spoken(SENTENCE.repeat(times)).length / 16_000);
  const perText = seconds.map((length, i) => length / 2 ** i);
  expect(Math.max(...perText) / Math.min(...perText)).toBeLessThan(1.15);
});

it('speaks any text without an error and without clipping', () => {
  const text = fc.string({ unit: ANY_CHARACTER, maxLength: 40 });
  const property = fc.property(text, (words) => {
    const samples = spoken(words);
    expect(samples.length).toBeGreaterThan(2_000);
    expect(samples.every((sample) => Math.abs(sample) < 29_000)).toBe(true);
  });
  fc.assert(property, { numRuns: 20 });
});
