import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/render/song/render-song.ts';
import { renderSpeech } from '../../../src/render/speech/render-speech.ts';
import { rendered } from './audio-tools.ts';
import { songRequest } from './song-requests.ts';

/** The hashes hold for one platform and build of ffmpeg; they change with the render version only. */
const isGoldenPlatform = process.platform === 'linux' && process.arch === 'x64';
const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

it.each([
  ['a sung pop song', {}, 'b301d1b9ad985e35'],
  ['its second take', { seed: 8 }, 'b6481c2136579d29'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, 'fc25963e95813fc4'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '852dc46ea1f1045a'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '34cba0503639033d'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', 'c71f6f44c528271e'],
  ['the other voice', SENTENCE, 'orion', 'dfde3555a673002f'],
  ['Russian', 'Привет, как дела?', 'orion', '0dd9ee61f71d5f26'],
  ['nothing', '', 'aria', '5d2b75b67e5870b6'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
