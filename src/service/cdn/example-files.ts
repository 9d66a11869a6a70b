import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { EXAMPLE_FILES } from '../../engine/webhooks/samples.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import type { ServiceRequest } from '../http/request.ts';
import { isUnchanged, rangeOf, writeHeaders, writeRange } from './reading.ts';

/** What each example file shows: something small. */
const RENDERS: Record<(typeof EXAMPLE_FILES)[number], { contentType: string; render: RenderRequest }> = {
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

interface ExampleFile extends ServedFile {
  content: Buffer;
}

/**
 * Serves the files that example events name, to whoever asks and at any time: an automation platform fetches the
 * `result_url` of an example when a user tries out a trigger. Each is rendered at its first request.
 */
export class ExampleFiles {
  readonly #made = new Map<string, Promise<ExampleFile>>();

  /** Returns false, and sends nothing, for a path that no example names. Throws as a render does. */
  async send(served: ServedFiles, request: ServiceRequest, response: ServerResponse, path: string): Promise<boolean> {
    const name = EXAMPLE_FILES.find((each) => path === `/cdn/sample/${each}`);
    if (!name) return false;
    const file = await this.#file(served, name);
    writeHeaders(response, file);
    if (isUnchanged(request.headers, file)) {
      response.statusCode = 304;
      response.end();
      return true;
    }
    const { range, part } =
      request.method === 'HEAD' ? { part: { start: 0, end: file.bytes - 1 } } : rangeOf(request, file);
    if (range) writeRange(response, range, file.bytes);
    response.setHeader('content-length', part.end - part.start + 1);
    response.end(request.method === 'HEAD' ? undefined : file.content.subarray(part.start, part.end + 1));
    return true;
  }

  #file(served: ServedFiles, name: (typeof EXAMPLE_FILES)[number]): Promise<ExampleFile> {
    const made = this.#made.get(name) ?? renderExample(served, name);
    this.#made.set(name, made);
    // A failed render is tried again at the next request.
    made.catch(() => this.#made.delete(name));
    return made;
  }
}

async function renderExample(served: ServedFiles, name: (typeof EXAMPLE_FILES)[number]): Promise<ExampleFile> {
  const { contentType, render } = RENDERS[name];
  const content = await served.renderOther(render);
  const file = hash('sha256', content, 'hex');
  return { file, name, bytes: content.length, contentType, accountId: '', content };
}
