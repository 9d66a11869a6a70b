import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/render/song/render-song.ts';
import { renderSpeech } from '../../../src/render/speech/render-speech.ts';
import { rendered } from './audio-tools.ts';
import { english } from './english-book.ts';
import { songRequest } from './song-requests.ts';

/** The hashes hold for one platform and build of ffmpeg; they change with the render version only. */
const isGoldenPlatform = process.platform === 'linux' && process.arch === 'x64';
const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

it.each([
  ['a sung pop song', {}, '2d52147f64f07ae6'],
  ['its second take', { seed: 8 }, '78db2b480979d2bf'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, '8efaf80e4980a42f'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '05efc7578e000497'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '70d49e11dc94e458'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', '1d0b867c31be983c'],
  ['the other voice', SENTENCE, 'orion', 'b98e506f93ce4257'],
  ['Russian', 'Привет, как дела?', 'orion', 'c012f53641f25579'],
  ['nothing', '', 'aria', '381f86b6a9043e90'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools, english));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
