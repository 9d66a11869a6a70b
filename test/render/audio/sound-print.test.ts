import { expect, it } from 'vitest';
import { carriedSound } from '../../../src/render/mp3/own-tag.ts';
import { renderSong } from '../../../src/render/song/render-song.ts';
import { energiesOf, likeness, PRINT_RATE } from '../../../src/render/sound-print.ts';
import { ffmpeg, rendered } from './audio-tools.ts';
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
  const [own, ...others] = songs.map(({ bytes }) => carriedSound(bytes)?.print ?? new Uint8Array(0));
  const changed = ffmpeg(songs[0]?.bytes ?? Buffer.alloc(0), ['-map_metadata', '-1', ...output, 'pipe:1']).stdout;
  const samples = ffmpeg(changed, ['-t', '40', '-ac', '1', '-ar', `${PRINT_RATE}`, '-f', 's16le', 'pipe:1']).stdout;
  const energies = energiesOf(new Int16Array(Uint8Array.from(samples).buffer));
  expect(likeness(own ?? new Uint8Array(0), energies)).toBeGreaterThan(ALIKE + 0.06);
  for (const other of others) expect(likeness(other, energies)).toBeLessThan(ALIKE - 0.1);
});

it('takes none of a hundred other sounds for a render', async () => {
  expect(await nearestOf(100)).toBeLessThan(ALIKE);
});
