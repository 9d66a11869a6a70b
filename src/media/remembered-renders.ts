import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RenderedFile, Renderer, RenderOptions, RenderRequest } from './render-request.ts';

/** One render that was made, or is being made. */
interface Made {
  path: string;
  file: RenderedFile;
}

/** The renders of all emulators of a process, by fingerprint: none is made twice. */
export class RememberedRenders {
  readonly #made = new Map<string, Promise<Made>>();
  #folder: Promise<string> | undefined;

  /** A renderer that returns a remembered render if there is one. */
  around(renderer: Renderer): Renderer {
    return {
      get version() {
        return renderer.version;
      },
      fingerprint: (request) => renderer.fingerprint(request),
      render: (request, target, options) => this.#render(renderer, { request, target, options }),
      warm: () => renderer.warm(),
      interrupt: (reason) => renderer.interrupt(reason),
      close: () => renderer.close(),
    };
  }

  /** Removes all of them. */
  async close(): Promise<void> {
    this.#made.clear();
    const folder = await this.#folder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #render(
    renderer: Renderer,
    order: { request: RenderRequest; target: string; options: RenderOptions | undefined },
  ): Promise<RenderedFile> {
    const { request, target, options } = order;
    const name = renderer.fingerprint(request);
    const known = await this.#made.get(name)?.catch(() => undefined);
    options?.signal?.throwIfAborted();
    if (known) {
      await placed(known.path, target);
      return known.file;
    }
    const file = await renderer.render(request, target, options);
    const kept = this.#keep(name, target, file);
    this.#made.set(name, kept);
    // A render that cannot be kept is made again for the next request.
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

/** Files are never written again, so a second name is as good as a copy. */
async function placed(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
