import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { rendered } from './audio-tools.ts';
import { madeSong, songRequest } from './song-requests.ts';

/** The hashes hold for one platform and build of ffmpeg; they change with the render version only. */
const isGoldenPlatform = process.platform === 'linux' && process.arch === 'x64';
const SENTENCE = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

it.each([
  ['a sung pop song', {}, 'ea1f356249853c94'],
  ['its second take', { seed: 8 }, '9af9114a3ea85bbd'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, '8af0030f737271a6'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '02a3bf985ba5391b'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, '3d3fec66b22c536d'],
])('renders %s as the same bytes each time [I097]', async (_name, changes, golden) => {
  const again = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await madeSong(changes)).bytes)).toBe(isGoldenPlatform ? golden : hash((await again()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', 'fce2b72c4fa1a984'],
  ['the other voice', SENTENCE, 'orion', 'b47eeeeb41e63980'],
  ['Russian', 'Привет, как дела?', 'orion', '2e11c7ed5bbfea98'],
  ['nothing', '', 'aria', '955e22ae22187fa4'],
] as const)('speaks %s as the same bytes each time [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
