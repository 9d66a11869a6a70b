import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { rendered } from './audio-tools.ts';
import { english } from './english-book.ts';
import { songRequest } from './song-requests.ts';

/** The hashes hold for one platform and build of ffmpeg; they change with the render version only. */
const isGoldenPlatform = process.platform === 'linux' && process.arch === 'x64';
const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

it.each([
  ['a sung pop song', {}, '050e765e491a7b3a'],
  ['its second take', { seed: 8 }, '8b7cc03ec9461c23'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, '5d926073f52374e8'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, 'becf8cbd7c7e2945'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '8f8e913821b262aa'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', '5f794ebe2c15bd57'],
  ['the other voice', SENTENCE, 'orion', 'aa064831ea767f91'],
  ['Russian', 'Привет, как дела?', 'orion', '0d5c9b4d290a6f11'],
  ['nothing', '', 'aria', 'dff572a726ecba0a'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools, english));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
