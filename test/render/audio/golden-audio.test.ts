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
  ['a sung pop song', {}, 'b7993b1ba2e57c32'],
  ['its second take', { seed: 8 }, '559f0678f4aeb6b1'],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, '951ad40d9488e6ef'],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, '5a8f9aa79794f9af'],
  ['ambient of two minutes', { style: 'ambient, dreamy', lyrics: null, seconds: 120 }, 'ffb2dfb9694f9d47'],
])('makes %s of the same bytes whenever it is asked for [I097]', async (_name, changes, golden) => {
  const make = () => rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

it.each([
  ['a sentence', SENTENCE, 'aria', '7e0cab55fc5d71aa'],
  ['the other voice', SENTENCE, 'orion', '8b9f84ea3e047406'],
  ['Russian', 'Привет, как дела?', 'orion', 'fd4c2bdc2912d32d'],
  ['nothing', '', 'aria', '15c2197438ca4039'],
] as const)('speaks %s in the same bytes whenever it is asked to [I097]', async (_name, text, voice, golden) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
  const make = () => rendered((target, tools) => renderSpeech(request, target, tools));
  expect(hash((await make()).bytes)).toBe(isGoldenPlatform ? golden : hash((await make()).bytes));
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
