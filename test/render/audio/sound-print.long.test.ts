import { expect, it } from 'vitest';
import { carriedSound } from '../../../src/render/mp3/own-tag.ts';
import { renderSong } from '../../../src/render/song/render-song.ts';
import { atPrintRate, energiesOf, likest } from '../../../src/render/sound-print.ts';
import { renderSpeech } from '../../../src/render/speech/render-speech.ts';
import { ffmpeg, rendered } from './audio-tools.ts';
import { english } from './english-book.ts';
import { nearestOf } from './foreign-sounds.ts';
import { songRequest } from './song-requests.ts';

it('takes none of a thousand sounds of speech, tones, noise and music for a render', async () => {
  expect(await nearestOf(1000)).toBeLessThan(0.88);
});

const RATE = 16_000;
/** Milliseconds either way in which the same sound is looked for. */
const WITHIN = 150;
const MONO = ['-map_metadata', '-1', '-ac', '1', '-ar', `${RATE}`];
const TEXT = 'Good morning, the boat leaves at nine. Are you coming along with us today?';

function samplesOf(bytes: Buffer): Int16Array {
  const { stdout } = ffmpeg(bytes, ['-t', '40', '-ac', '1', '-ar', `${RATE}`, '-f', 's16le', 'pipe:1']);
  return new Int16Array(Uint8Array.from(stdout).buffer, 0, stdout.length >> 1);
}

/** By how many milliseconds one sound comes after another one like it. */
function offset(one: Int16Array, other: Int16Array): number {
  const product = (shift: number) => {
    let sum = 0;
    for (let at = WITHIN * 16; at < Math.min(one.length, other.length) - WITHIN * 16; at += 7)
      sum += (one[at] as number) * (other[at + shift] as number);
    return sum;
  };
  const shifts = Array.from({ length: 2 * WITHIN * 4 + 1 }, (_, i) => (i - WITHIN * 4) * 4);
  const products = shifts.map(product);
  return (shifts[products.indexOf(Math.max(...products))] ?? 0) / 16;
}

// An encoder that cannot note its delay, for it writes into a pipe, puts all sound later.
it.each([
  ['an MP3 of 32 kbit/s', ['-b:a', '32k', '-f', 'mp3'], 70],
  ['an MP3 at 8 kHz', ['-ar', '8000', '-f', 'mp3'], 140],
  ['AAC', ['-c:a', 'aac', '-f', 'adts'], 70],
  ['Opus', ['-c:a', 'libopus', '-f', 'webm'], 10],
  ['a WAV', ['-f', 'wav'], 1],
  ['Vorbis', ['-c:a', 'libvorbis', '-f', 'ogg'], 1],
])('knows speech and songs at 16 kHz in one channel as %s, and where they then lie', async (how, output, most) => {
  const request = { kind: 'speech', model: 'svc-voice-one', text: TEXT, voice: 'aria' } as const;
  const speech = await rendered((target, tools) => renderSpeech(request, target, tools, english));
  const song = await rendered((target, tools) => renderSong(songRequest({}), target, tools));
  for (const { bytes } of [speech, song]) {
    const changed = ffmpeg(bytes, [...MONO, ...output, 'pipe:1']).stdout;
    const samples = samplesOf(changed);
    const late = offset(samplesOf(bytes), samples);
    const print = carriedSound(bytes)?.print ?? new Uint8Array(0);
    const found = likest([print], energiesOf(atPrintRate(samples, 1, RATE)));
    console.log(`${how}: ${late} ms later, found at ${found.late}, ${found.like.toFixed(3)} like itself`);
    expect(Math.abs(late)).toBeLessThanOrEqual(most);
    expect(Math.abs(found.late - late)).toBeLessThanOrEqual(20);
    expect(found.like).toBeGreaterThan(0.88);
  }
});
