import { hash } from 'node:crypto';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { EXAMPLE_FILES } from '../../engine/webhooks/samples.ts';
import type { RenderRequest } from '../../media/render-request.ts';

type ExampleName = (typeof EXAMPLE_FILES)[number];

/** What each example file shows: something small. */
const RENDERS: Record<ExampleName, { contentType: string; render: RenderRequest }> = {
  'image.png': {
    contentType: 'image/png',
    render: { kind: 'image', model: 'svc-image-one', prompt: 'a lighthouse in the fog', seed: 7 },
  },
  'clip.mp4': {
    contentType: 'video/mp4',
    render: {
      ...{ kind: 'clip', model: 'svc-motion-one', engine: 'svc-motion-one', figures: [], references: [] },
      ...{ prompt: 'a lighthouse in the fog', seed: 7, width: 480, height: 270, seconds: 1, audio: true },
    },
  },
  'take-1.mp3': {
    contentType: 'audio/mpeg',
    render: {
      ...{ kind: 'song', model: 'svc-music-one', title: 'Lighthouse', style: 'folk', seconds: 10, seed: 7 },
      lyrics: '[Verse]\nFog rolls in, and the lamp answers',
    },
  },
};

export interface ExampleFile extends ServedFile {
  content: Buffer;
}

/**
 * The files that example events name, for any caller at any time: an automation platform fetches the `result_url` of an
 * example when a user tries out a trigger. Each is rendered at its first request.
 */
export class ExampleFiles {
  readonly #made = new Map<string, Promise<ExampleFile>>();

  /** Undefined for a path that no example names. Rejects as a render does; the next request tries again. */
  find(served: ServedFiles, path: string): Promise<ExampleFile> | undefined {
    const name = EXAMPLE_FILES.find((each) => path === `/cdn/sample/${each}`);
    return name && (this.#made.get(name) ?? this.#render(served, name));
  }

  #render(served: ServedFiles, name: ExampleName): Promise<ExampleFile> {
    const made = renderExample(served, name);
    this.#made.set(name, made);
    made.catch(() => this.#made.delete(name));
    return made;
  }
}

async function renderExample(served: ServedFiles, name: ExampleName): Promise<ExampleFile> {
  const { contentType, render } = RENDERS[name];
  const content = await served.renderOther(render);
  const file = hash('sha256', content, 'hex');
  return { file, name, bytes: content.length, contentType, accountId: '', content };
}
