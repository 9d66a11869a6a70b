import { writeFile } from 'node:fs/promises';
import type { ImageRequest, RenderedFile } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';

/** Writes a 1024 × 1024 PNG. */
export async function renderPicture(
  request: ImageRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const colour = `0x${(request.seed & 0xffffff).toString(16).padStart(6, '0')}`;
  const png = await tools.ffmpeg.run(
    {
      input: `color=c=${colour}:s=1024x1024:r=1:d=1`,
      inputOptions: ['-f', 'lavfi'],
      outputOptions: ['-c:v', 'png', '-f', 'image2pipe'],
    },
    tools.signal,
  );
  await writeFile(target, png);
  return { bytes: png.length, contentType: 'image/png' };
}
