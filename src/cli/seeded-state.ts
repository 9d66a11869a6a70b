import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a data folder holds of a state that nothing was done to yet, and what marks it as one. */
const FILES = ['emulator.db', 'svc-emulator.json'];

/** A state that is made and seeded once: every emulator of a search begins with a copy of it. */
export class SeededState {
  readonly #make: (folder: string) => Promise<void>;
  #folder: Promise<string> | undefined;

  /** `make` leaves such a state in a folder. */
  constructor(make: (folder: string) => Promise<void>) {
    this.#make = make;
  }

  async copyTo(folder: string): Promise<void> {
    this.#folder ??= this.#made();
    const from = await this.#folder;
    await mkdir(folder, { mode: 0o700 });
    await Promise.all(FILES.map((name) => copyFile(path.join(from, name), path.join(folder, name))));
  }

  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #made(): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-seeded-'));
    await this.#make(folder);
    return folder;
  }
}
