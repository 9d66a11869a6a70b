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
  ['a sung pop song', {}, 'bebb8f620016c969'],
  ['its second take', { seed: 8 }, 'f0dc8a06092f4af7'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, 'd825117f4611e301'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '8fdcca602770c835'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '62e19a9626a1ddaf'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', '057d07c5ed936cd7'],
  ['the other voice', SENTENCE, 'orion', '94fd7e09e74c4949'],
  ['Russian', 'Привет, как дела?', 'orion', '6ae8f0d21c94563f'],
  ['nothing', '', 'aria', '10a328858f5c5b11'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
