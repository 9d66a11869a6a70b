import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stateReplacedError } from '../base/errors.ts';
import type { RenderedFile, Renderer, RenderOptions, RenderRequest } from './render-request.ts';

interface Made {
  path: string;
  file: RenderedFile;
}

interface RequestedRender {
  request: RenderRequest;
  target: string;
  options: RenderOptions | undefined;
  signal: AbortSignal;
}

export class RenderCache {
  readonly #made = new Map<string, Promise<Made>>();
  readonly #underway = new Map<string, Promise<unknown>>();
  #folder: Promise<string> | undefined;

  around(renderer: Renderer): Renderer {
    let running = new AbortController();
    const interrupt = (reason: Error) => {
      running.abort(reason);
      running = new AbortController();
    };
    return {
      get version() {
        return renderer.version;
      },
      fingerprint: (request) => renderer.fingerprint(request),
      render: (request, target, options) => {
        const signals = [running.signal, options?.signal].filter((each) => each !== undefined);
        return this.#render(renderer, { request, target, options, signal: AbortSignal.any(signals) });
      },
      warm: () => renderer.warm(),
      interrupt(reason) {
        interrupt(reason);
        renderer.interrupt(reason);
      },
      close() {
        interrupt(stateReplacedError());
        return renderer.close();
      },
    };
  }

  async close(): Promise<void> {
    this.#made.clear();
    const folder = await this.#folder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #render(renderer: Renderer, order: RequestedRender): Promise<RenderedFile> {
    const { request, target, signal } = order;
    const name = renderer.fingerprint(request);
    for (;;) {
      const known = await this.#made.get(name)?.catch(() => undefined);
      signal.throwIfAborted();
      if (known) {
        await placed(known.path, target);
        return known.file;
      }
      const other = this.#underway.get(name);
      if (!other) break;
      await unlessAborted(other, signal);
    }
    const made = this.#make(renderer, name, order).finally(() => this.#underway.delete(name));
    this.#underway.set(
      name,
      made.catch(() => undefined),
    );
    return made;
  }

  async #make(renderer: Renderer, name: string, { request, target, options }: RequestedRender): Promise<RenderedFile> {
    const file = await renderer.render(request, target, options);
    const kept = this.#keep(name, target, file);
    this.#made.set(name, kept);
    await kept.catch(() => this.#made.delete(name));
    return file;
  }

  async #keep(name: string, target: string, file: RenderedFile): Promise<Made> {
    this.#folder ??= mkdtemp(path.join(tmpdir(), `svc-renders-${process.pid}-`));
    const kept = path.join(await this.#folder, name);
    await placed(target, kept);
    return { path: kept, file };
  }
}

/** A hard link is as good as a copy, because files never change. */
async function placed(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
