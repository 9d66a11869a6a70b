import { constants } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Semaphore } from '../../base/clock/clock.ts';
import { type ClockState, VirtualClock } from '../../base/clock/virtual-clock.ts';
import { Database } from '../../base/database/database.ts';
import { findDatabaseProblem, SCHEMA_VERSION } from '../../base/database/database-file.ts';
import { writeSetting } from '../../base/database/id-store.ts';
import { isDatabaseMarkedIntact, markDatabaseIntact } from '../../base/database/intact-mark.ts';
import { EmulatorError, invalidRequestError, quoted, translateDiskError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Journal } from '../journal/journal.ts';
import { storedContentProblem } from '../storage/content-check-store.ts';
import { listAllFiles } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';
import { failOpenDeliveries } from '../webhooks/delivery-store.ts';
import { linkOrCopyFiles, SNAPSHOT_NAME_PATTERN, type SnapshotFolder, type SnapshotRecord } from './snapshot-folder.ts';

interface SnapshotsParts {
  folder: SnapshotFolder;
  database: Database;
  clock: VirtualClock;
  files: Files;
  journal: Journal;
  random: Random;
  /** Held while the whole state is copied or replaced, so that only one operation at a time does so. */
  stateLock: Semaphore;
  /** Moves the closed database `file` into the data folder, as the new state. If this fails, the old state stays. */
  replaceState: (file: string, journal: string) => Promise<void>;
}

/** Snapshots of the whole state by name: database, files, journal and clock [I140]. */
export class Snapshots {
  readonly #parts: SnapshotsParts;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  list(): SnapshotRecord[] {
    return this.#parts.folder.list().filter(({ name }) => !this.#parts.folder.isDamaged(name));
  }

  /** Unreadable snapshots, which can be removed or saved again, but not restored [I230]. */
  damaged(): string[] {
    const { folder } = this.#parts;
    return folder.names().filter((name) => folder.isDamaged(name));
  }

  /** Throws `invalid_request` or `storage_full`; an earlier snapshot of that name then stays. */
  save(name: string): Promise<SnapshotRecord> {
    requireName(name);
    return this.#parts.stateLock.run(() => this.#save(name).catch(throwDiskError));
  }

  /** Throws `not_found`, `invalid_request` or `storage_full`; the state then stays as it was. */
  restore(name: string): Promise<SnapshotRecord> {
    return this.#parts.stateLock.run(() => this.#restore(this.find(name)).catch(throwDiskError));
  }

  remove(name: string): Promise<void> {
    const { folder, stateLock } = this.#parts;
    return stateLock.run(async () => {
      if (!SNAPSHOT_NAME_PATTERN.test(name) || !folder.isDamaged(name)) this.find(name);
      await folder.remove(name);
    });
  }

  find(name: string): SnapshotRecord {
    const found = SNAPSHOT_NAME_PATTERN.test(name) ? this.#parts.folder.find(name) : undefined;
    if (found && !this.#parts.folder.isDamaged(name)) return found;
    if (SNAPSHOT_NAME_PATTERN.test(name) && this.#parts.folder.isDamaged(name)) throw damaged(name);
    throw new EmulatorError('not_found', `There is no snapshot ${quoted(name)}. GET /_emulator/snapshots lists them.`);
  }

  tidy(): Promise<void> {
    return this.#parts.stateLock.run(() => this.#parts.folder.tidy());
  }

  #save(name: string): Promise<SnapshotRecord> {
    const { folder, database, clock, random } = this.#parts;
    const content = random.scratchName();
    return folder.holding(content, async () => {
      folder.make(content);
      const paths = folder.paths(content);
      const { kept, ...moment } = await database.copyTo(paths.database, async () => {
        const moment = { created: clock.real(), now: clock.now(), frozen: clock.frozen };
        return { ...moment, kept: await this.#keepFiles(paths) };
      });
      markDatabaseIntact(paths.database);
      const databases = await Promise.all([paths.database, paths.journal].map((file) => stat(file)));
      const bytes = [...kept.map((file) => file.bytes), ...databases.map(({ size }) => size)].reduce((a, b) => a + b);
      const record = { name, content, ...moment, files: kept.length, bytes };
      await folder.write(record);
      return record;
    });
  }

  async #keepFiles(paths: { journal: string; files: string }): Promise<StateFile[]> {
    const { database, files, journal } = this.#parts;
    const kept = listAllFiles(database);
    const names = kept.map((file) => file.name);
    await files.pinning(names, async () => {
      await journal.copyTo(paths.journal);
      await linkOrCopyFiles(names.map((file) => ({ from: files.path(file), to: path.join(paths.files, file) })));
    });
    return kept;
  }

  #restore(record: SnapshotRecord): Promise<SnapshotRecord> {
    const { folder, files, replaceState } = this.#parts;
    const target = files.scratchPath();
    return folder.holding(record.content, async () => {
      try {
        const paths = folder.paths(record.content);
        const kept = await prepareState({ snapshot: record, source: paths.database, target });
        const names = kept.map((file) => file.name);
        await files.pinning(names, async () => {
          await linkOrCopyFiles(names.map((file) => ({ from: path.join(paths.files, file), to: files.path(file) })));
          await replaceState(target, paths.journal);
        });
        return record;
      } finally {
        await rm(target, { force: true });
      }
    });
  }
}

function damaged(name: string): EmulatorError {
  return invalidRequestError(
    'name',
    `The snapshot "${name}" is damaged: it cannot be read. Remove it with DELETE /_emulator/snapshots/${name}, and save it again. The state is unchanged.`,
  );
}

function throwDiskError(error: unknown): never {
  throw translateDiskError(error);
}

function requireName(name: string): void {
  if (SNAPSHOT_NAME_PATTERN.test(name)) return;
  throw invalidRequestError(
    'name',
    `name must be 1 to 64 letters, digits, dots, dashes and underscores, and not "." or "..": ${quoted(name)} is not valid.`,
  );
}

const UNSENT =
  'interrupted: the emulator went back to a snapshot that was taken before this delivery was made, and nothing is sent again';

type StateFile = ReturnType<typeof listAllFiles>[number];

interface StateToPrepare {
  snapshot: SnapshotRecord;
  source: string;
  target: string;
}

/**
 * Copies `source` to `target`. In the copy it sets the clock and fails all unsent deliveries [I140]. Returns the files of
 * the state. Throws `invalid_request` if the snapshot is damaged or of a newer version.
 */
async function prepareState({ snapshot, source, target }: StateToPrepare): Promise<StateFile[]> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  if (!isDatabaseMarkedIntact(source)) refuse(snapshot.name, findDatabaseProblem(target, storedContentProblem));
  const clock = new VirtualClock();
  const state = new Database({ file: target, durable: false, clock });
  try {
    await state.transact((tx) => {
      writeSetting(tx, 'clock', clockOf(snapshot, clock.real()));
      failOpenDeliveries(tx, UNSENT);
    });
    return listAllFiles(state);
  } finally {
    state.close();
    clock.clear();
  }
}

/** A frozen clock stays frozen. A running one continues from the moment of the snapshot. */
function clockOf({ now, frozen }: SnapshotRecord, real: number): ClockState {
  return { offset: now - real, frozenAt: frozen ? now : null };
}

function refuse(name: string, fault: ReturnType<typeof findDatabaseProblem>): void {
  if (!fault) return;
  const text =
    'newer' in fault
      ? `was made by a newer svc-emulator (its schema is ${fault.newer}, this one knows ${SCHEMA_VERSION}). Upgrade, or save it again.`
      : `is damaged (${'foreign' in fault ? fault.foreign : fault.damage}). Remove it with DELETE /_emulator/snapshots/${name}, and save it again.`;
  throw invalidRequestError('name', `The snapshot "${name}" ${text} The state is unchanged.`);
}
