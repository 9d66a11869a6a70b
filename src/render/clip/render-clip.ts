import { writeFile } from 'node:fs/promises';
import type { ClipRequest, RenderedFile } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';

/** Writes an MP4 of exactly the asked size and length. */
export async function renderClip(
  request: ClipRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const { width, height, seconds } = request;
  const source = `color=c=navy:s=${width}x${height}:r=24:d=${seconds}`;
  const sound = request.audio ? `,sine=frequency=330:sample_rate=48000:duration=${seconds}` : '';
  const mp4 = await tools.ffmpeg.run(
    {
      input: request.audio ? `${source}[out0];${sound.slice(1)}[out1]` : source,
      inputOptions: ['-f', 'lavfi'],
      outputOptions: [
        ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
        ...['-ac', '2', '-t', `${seconds}`, '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'],
      ],
    },
    tools.signal,
  );
  await writeFile(target, mp4);
  return { bytes: mp4.length, contentType: 'video/mp4', seconds };
}
