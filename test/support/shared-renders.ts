import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { EmulatorError } from '../../src/base/errors.ts';
import { RenderCache } from '../../src/media/render-cache.ts';
import type { Renderer, RenderRequest } from '../../src/media/render-request.ts';
import { WorkerRenderer } from '../../src/media/worker-renderer.ts';

const pool: { renderer?: Renderer } = {};

/** The render threads of this process, which all emulators share, so that they stay warm. */
function threads(): Renderer {
  pool.renderer ??= new WorkerRenderer({
    clock: new VirtualClock(),
    workers: Math.max(2, Math.min(4, availableParallelism() - 1)),
    scratchFolder: mkdtempSync(path.join(tmpdir(), 'renders-')),
  });
  return pool.renderer;
}

/** The same request with fixed texts and a fixed seed, so that equal sizes and lengths share a render. */
function plain(request: RenderRequest): RenderRequest {
  if (request.kind === 'image' || request.kind === 'clip') return { ...request, prompt: 'a pier', seed: 1 };
  if (request.kind !== 'song') return request;
  return { ...request, title: 'Tide', style: 'folk', lyrics: request.lyrics && 'The tide comes in.', seed: 1 };
}

/** All emulators of this process render in the same threads, and render each fingerprint once. */
class SharedRenders extends RenderCache {
  readonly #asMade: (request: RenderRequest) => RenderRequest;

  constructor(asMade: (request: RenderRequest) => RenderRequest) {
    super();
    this.#asMade = asMade;
  }

  override around(own: Renderer): Renderer {
    const running = new Set<Promise<unknown>>();
    let open = new AbortController();
    const mine: Renderer = {
      get version() {
        return own.version;
      },
      fingerprint: (request) => own.fingerprint(this.#asMade(request)),
      render: async (request, target, options = {}) => {
        const signals = [open.signal, options.signal].filter((each) => each !== undefined);
        const signal = AbortSignal.any(signals);
        const made = threads().render(this.#asMade(request), target, { ...options, signal });
        running.add(made);
        return made.finally(() => running.delete(made));
      },
      warm: () => threads().warm(),
      interrupt(reason) {
        open.abort(reason);
        open = new AbortController();
      },
      async close() {
        open.abort(new EmulatorError('render_failed', 'The emulator is stopping; no render can run now.'));
        await Promise.allSettled(running);
      },
    };
    const remembered = super.around(mine);
    remembered.fingerprint = (request) => own.fingerprint(request);
    return remembered;
  }
}

/** For tests that do not depend on the content of files or on how they are rendered. */
export const sharedRenders: RenderCache = new SharedRenders(plain);

/** For tests that depend on the content of files. Each file is rendered as ordered, and only once. */
export const exactRenders: RenderCache = new SharedRenders((request) => request);
