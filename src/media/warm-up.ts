import { rmSync } from 'node:fs';
import path from 'node:path';
import type { RenderRequest } from './render-request.ts';

const TRIED: readonly RenderRequest[] = [
  { kind: 'image', model: 'svc-image-one', prompt: 'a fox in a forest at dawn', seed: 1 },
  { kind: 'speech', model: 'svc-voice-one', text: 'Ready for whatever there is to say.', voice: 'aria' },
  {
    kind: 'clip',
    model: 'svc-motion-one',
    engine: 'svc-motion-one',
    prompt: 'a quiet lake',
    seed: 1,
    width: 480,
    height: 480,
    seconds: 1,
    audio: true,
    figures: [],
    references: [],
  },
  {
    kind: 'song',
    model: 'svc-music-one',
    title: 'Ready',
    style: 'pop',
    seconds: 10,
    seed: 1,
    lyrics: '[Verse]\nReady for whatever there is to sing',
  },
];

export async function warmUp(
  render: (request: RenderRequest, target: string) => Promise<unknown>,
  { scratchFolder, isWanted }: { scratchFolder: string; isWanted: () => boolean },
): Promise<void> {
  for (const request of TRIED) {
    if (isWanted()) return;
    const target = path.join(scratchFolder, `warm-up-${request.kind}-${process.pid}`);
    try {
      await render(request, target);
    } finally {
      rmSync(target, { force: true });
    }
  }
  await import('./thumbnail/render-thumbnail.ts');
}
