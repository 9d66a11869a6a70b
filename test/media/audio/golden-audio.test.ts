import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { rendered } from './audio-tools.ts';
import { songRequest } from './song-requests.ts';

/** The hashes hold for one platform and build of ffmpeg; they change with the render version only. */
const isGoldenPlatform = process.platform === 'linux' && process.arch === 'x64';
const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

it.each([
  ['a sung pop song', {}, 'ebee37802062ad22'],
  ['its second take', { seed: 8 }, '52f5cd8e7079530a'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, '5177a9abecee8825'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '9b3e25d1c631ce5d'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '581c728de2a59034'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', 'fce2b72c4fa1a984'],
  ['the other voice', SENTENCE, 'orion', 'b47eeeeb41e63980'],
  ['Russian', 'Привет, как дела?', 'orion', '2e11c7ed5bbfea98'],
  ['nothing', '', 'aria', '955e22ae22187fa4'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
