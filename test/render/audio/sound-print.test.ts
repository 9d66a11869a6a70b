import { expect, it } from 'vitest';
import { carriedSound } from '../../../src/render/mp3/own-tag.ts';
import { renderSong } from '../../../src/render/song/render-song.ts';
import { atPrintRate, energiesOf, likest, PRINT_RATE, printOf } from '../../../src/render/sound-print.ts';
import { speak, spokenAtOnce } from '../../../src/render/speech/render-speech.ts';
import { ffmpeg, rendered } from './audio-tools.ts';
import { english } from './english-book.ts';
import { nearestOf } from './foreign-sounds.ts';
import { songRequest } from './song-requests.ts';

/** Above it a sound is taken for a render. */
const ALIKE = 0.88;

it.each([
  ['48 kbit/s', ['-b:a', '48k', '-f', 'mp3']],
  ['16 kHz, one channel', ['-ac', '1', '-ar', '16000', '-f', 'wav']],
  ['Vorbis', ['-c:a', 'libvorbis', '-f', 'ogg']],
])('knows a song again at %s, and no other song of its length in it', async (_how, output) => {
  const songs = await Promise.all(
    [{}, { style: 'heavy metal', title: 'Iron' }, { title: 'Other Street' }].map((changes) =>
      rendered((target, tools) => renderSong(songRequest(changes), target, tools)),
    ),
  );
  const prints = songs.map(({ bytes }) => carriedSound(bytes)?.print ?? new Uint8Array(0));
  const changed = ffmpeg(songs[0]?.bytes ?? Buffer.alloc(0), ['-map_metadata', '-1', ...output, 'pipe:1']).stdout;
  const samples = ffmpeg(changed, ['-t', '40', '-ac', '1', '-ar', `${PRINT_RATE}`, '-f', 's16le', 'pipe:1']).stdout;
  const energies = energiesOf(new Int16Array(Uint8Array.from(samples).buffer));
  const own = likest(prints, energies);
  expect(own.at).toBe(0);
  expect(own.like).toBeGreaterThan(ALIKE + 0.06);
  expect(likest(prints.slice(1), energies).like).toBeLessThan(ALIKE - 0.1);
});

it('knows spoken words again among a hundred others, wherever an encoder has moved them to', async () => {
  const say = (text: string) => spokenAtOnce(speak({ text, voice: 'aria' }, english));
  const energies = (samples: Int16Array) => energiesOf(atPrintRate(samples, 1, 16_000));
  const texts = Array.from({ length: 100 }, (_, i) => `Number ${i * 37} leaves at ${i % 12}, from gate ${i}.`);
  const prints = await Promise.all(texts.map(async (text) => printOf(energies(await say(text)))));
  const samples = await say(texts[42] ?? '');
  for (const late of [0, 5, 23, 61, 128]) {
    const moved = new Int16Array(samples.length + late * 16);
    moved.set(samples, late * 16);
    const found = likest(prints, energies(moved));
    expect(found.at).toBe(42);
    expect(found.like).toBeGreaterThan(ALIKE);
  }
});

it('takes none of a hundred other sounds for a render', async () => {
  expect(await nearestOf(100)).toBeLessThan(ALIKE);
});
