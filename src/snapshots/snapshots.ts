import { rm, stat } from 'node:fs/promises';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Database } from '../database/database.ts';
import { EmulatorError, invalid } from '../errors.ts';
import type { Random } from '../random.ts';
import { asDiskError } from '../storage/disk-error.ts';
import { fileTotal } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';
import { prepareState } from './prepare-state.ts';
import { SNAPSHOT_NAME, type SnapshotFolder, type SnapshotRecord } from './snapshot-folder.ts';
import type { Turns } from './turns.ts';

export interface SnapshotsParts {
  folder: SnapshotFolder;
  database: Database;
  clock: VirtualClock;
  files: Files;
  random: Random;
  /** What replaces or keeps the whole state does so one after another. */
  turns: Turns;
  /** Goes on with the state of a closed database file, which is moved away; with the old state when that fails. */
  replaceState: (file: string) => Promise<void>;
}

/** The whole state by name: database, files, clock [I140]. The journal is no part of it. */
export class Snapshots {
  readonly #parts: SnapshotsParts;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  list(): SnapshotRecord[] {
    return this.#parts.folder.list();
  }

  /** Keeps the state as it is at one moment. Throws `storage_full`, and then a snapshot of that name is as it was. */
  save(name: string): Promise<SnapshotRecord> {
    requireName(name);
    return this.#parts.turns.take(() => this.#save(name).catch(throwDiskError));
  }

  /** Goes back to a snapshot. Throws `not_found`, `invalid_request` and `storage_full`; then the state is as before. */
  restore(name: string): Promise<SnapshotRecord> {
    return this.#parts.turns.take(() => this.#restore(this.find(name)).catch(throwDiskError));
  }

  /** Throws `not_found`. */
  remove(name: string): Promise<void> {
    return this.#parts.turns.take(async () => this.#parts.folder.remove(this.find(name)));
  }

  /** Throws `not_found`. */
  find(name: string): SnapshotRecord {
    const found = SNAPSHOT_NAME.test(name) ? this.#parts.folder.find(name) : undefined;
    if (found) return found;
    throw new EmulatorError(
      'not_found',
      `There is no snapshot "${name.slice(0, 80)}"; GET /_emulator/snapshots lists those there are.`,
    );
  }

  /** Removes what a crash left half-made. */
  tidy(): Promise<void> {
    return this.#parts.turns.take(() => this.#parts.folder.tidy());
  }

  #save(name: string): Promise<SnapshotRecord> {
    const { folder, database, clock, files, random } = this.#parts;
    const content = random.scratchName();
    return folder.holding(content, async () => {
      folder.make(content);
      // The moment: nothing else happens between these lines and the pin.
      database.copyTo(folder.database(content));
      const moment = { created: clock.real(), now: clock.now(), frozen: clock.frozen };
      const { names, bytes } = fileTotal(database);
      await files.pinning(names, () => files.linkTo(folder.files(content), names));
      const { size } = await stat(folder.database(content));
      const record = { name, content, ...moment, files: names.length, bytes: bytes + size };
      await folder.write(record);
      return record;
    });
  }

  #restore(record: SnapshotRecord): Promise<SnapshotRecord> {
    const { folder, clock, files, replaceState } = this.#parts;
    const target = files.scratchPath();
    return folder.holding(record.content, async () => {
      try {
        const source = folder.database(record.content);
        const names = await prepareState(record, { source, target, clock });
        await files.pinning(names, async () => {
          await files.linkFrom(folder.files(record.content), names);
          await replaceState(target);
        });
        return record;
      } finally {
        await rm(target, { force: true });
      }
    });
  }
}

function throwDiskError(error: unknown): never {
  throw asDiskError(error);
}

function requireName(name: string): void {
  if (SNAPSHOT_NAME.test(name)) return;
  throw invalid(
    'name',
    `name must be 1 to 64 letters, digits, dots, dashes and underscores, and not "." or ".."; got ${JSON.stringify(name.slice(0, 80))}.`,
  );
}
