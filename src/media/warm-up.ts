import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ClipEngine } from './clip/render-clip.ts';
import type { RenderTools } from './render-request.ts';
import type { SceneKit } from './scene/stage.ts';

/** What has to be there before the first render can begin. */
export interface WarmParts {
  kit: SceneKit;
  clips: ClipEngine;
  tools: RenderTools;
  /** Whether a render waits: then the rest is skipped. */
  isWanted: () => boolean;
}

const PICTURE = { kind: 'image' as const, model: 'svc-image-one', prompt: 'a fox in a forest at dawn', seed: 1 };
const SPEECH = {
  ...{ kind: 'speech' as const, model: 'svc-voice-one', text: 'Ready for whatever there is to say.' },
  voice: 'aria' as const,
};
const CLIP = {
  ...{ kind: 'clip' as const, model: 'svc-motion-one', engine: 'svc-motion-one', prompt: 'a quiet lake', seed: 1 },
  ...{ width: 480, height: 480, seconds: 1, audio: true, figures: [], references: [] },
};

const SONG = {
  ...{ kind: 'song' as const, model: 'svc-music-one', title: 'Ready', style: 'pop', seconds: 10, seed: 1 },
  lyrics: '[Verse]\nReady for whatever there is to sing',
};

/** Loads every engine and tries it on something small, so that the first render finds it compiled and ffmpeg read from the disk. */
export async function warmUp({ kit, clips, tools, isWanted }: WarmParts): Promise<void> {
  const { renderPicture } = await import('./picture/render-picture.ts');
  for (const seed of [1, 2, 3]) {
    if (isWanted()) return;
    await renderPicture(kit, { ...PICTURE, seed });
  }
  const { renderSpeech } = await import('./speech/render-speech.ts');
  if (isWanted()) return;
  // While the encoder's process starts there is time for the clip.
  await Promise.all([
    tried(tools, 'speech', (target) => renderSpeech(SPEECH, target, tools)),
    tried(tools, 'clip', (target) => clips.render(CLIP, target, tools)),
    ...[import('./song/render-song.ts'), import('./thumbnail/render-thumbnail.ts')],
  ]);
  if (isWanted()) return;
  await playSong(tools, isWanted);
}

/** Stops as soon as a render waits. */
async function playSong(tools: RenderTools, isWanted: () => boolean): Promise<void> {
  const { renderSong } = await import('./song/render-song.ts');
  const given = new AbortController();
  const onProgress = () => {
    if (isWanted()) given.abort();
  };
  await tried(tools, 'song', (target) => renderSong(SONG, target, { ...tools, signal: given.signal, onProgress }));
}

/** Removes what was rendered. */
async function tried(
  { scratchFolder }: RenderTools,
  name: string,
  render: (target: string) => Promise<unknown>,
): Promise<void> {
  const target = path.join(scratchFolder, `warm-up-${name}-${process.pid}`);
  try {
    await render(target);
  } finally {
    rmSync(target, { force: true });
  }
}
