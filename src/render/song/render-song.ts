import { writeFile } from 'node:fs/promises';
import type { RenderedFile, SongRequest } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';

/** Writes an MP3 of 320 kbit/s, 48 kHz, stereo. */
export async function renderSong(
  request: SongRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const { seconds } = request;
  const mp3 = await tools.ffmpeg.run(
    {
      input: `sine=frequency=220:sample_rate=48000:duration=${seconds}`,
      inputOptions: ['-f', 'lavfi'],
      outputOptions: ['-c:a', 'libmp3lame', '-b:a', '320k', '-ac', '2', '-f', 'mp3'],
    },
    tools.signal,
  );
  await writeFile(target, mp3);
  return { bytes: mp3.length, contentType: 'audio/mpeg', seconds };
}
