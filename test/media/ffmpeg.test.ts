import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Ffmpeg } from '../../src/media/ffmpeg.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { waveFile } from './audio/audio-samples.ts';

const ffmpeg = new Ffmpeg();
const samples = { outputOptions: ['-c:a', 'pcm_s16le', '-f', 's16le'] };

it('reads a file with the allowed ffmpeg format and decoders only', async () => {
  const input = path.join(emptyFolder(), 'sound.wav');
  await writeFile(input, waveFile(3200));
  const read = (format: string, decoders: string[]) => ffmpeg.run({ input, format, decoders, ...samples });
  expect(await read('wav', ['pcm_s16le'])).toHaveLength(3200);
  await expect(read('wav', ['wmav2', 'ac3'])).rejects.toMatchObject({ code: 'render_failed' });
  await expect(read('mp3', ['pcm_s16le'])).rejects.toMatchObject({ code: 'render_failed' });
});

it('rejects a media file that only names another file', async () => {
  const folder = emptyFolder();
  await writeFile(path.join(folder, 'sound.wav'), waveFile(3200));
  const input = path.join(folder, 'list.txt');
  await writeFile(input, "file 'sound.wav'\n");
  const read = ffmpeg.run({ input, format: 'wav', decoders: ['pcm_s16le'], ...samples });
  await expect(read).rejects.toMatchObject({ code: 'render_failed' });
});
