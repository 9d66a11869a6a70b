import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { VirtualClock } from '../../base/clock/clock.ts';
import type { ClockState } from '../../base/clock/clock-marks.ts';
import { Database } from '../../base/database/database.ts';
import { checkDatabase, schemaOf } from '../../base/database/migrate.ts';
import { writeSetting } from '../../base/database/setting-store.ts';
import { asDiskError, EmulatorError, invalid } from '../../base/errors.ts';
import { allFiles } from '../storage/file-store.ts';
import { failOpen } from '../webhooks/unsent-store.ts';
import { unfitValue } from './content-check-store.ts';
import type { SnapshotRecord } from './snapshot-folder.ts';

const FOREIGN = 'its tables are not those of svc-emulator';
const UNSENT =
  'interrupted: the emulator went back to a snapshot that was taken before this delivery was made, and nothing is sent again';

/** A file in the books of a state. */
export type StateFile = ReturnType<typeof allFiles>[number];

/** A snapshot's database, and where the file is to lie with which the emulator can go on. */
export interface StateToPrepare {
  snapshot: Pick<SnapshotRecord, 'name' | 'now' | 'frozen'>;
  source: string;
  target: string;
  /** The tables of this version, as `schemaOf` returns them. */
  schema: string;
}

/**
 * Makes of a snapshot's database, at `target`, the file with which the emulator can go on: checked, brought to this
 * version's schema, its clock at the moment of the snapshot, nothing left to be sent [I140].
 * Answers its files. Throws `invalid_request` for one that is damaged or of a newer version.
 */
export async function prepareState({ snapshot, source, target, schema }: StateToPrepare): Promise<StateFile[]> {
  await copyFile(source, target, constants.COPYFILE_FICLONE).catch((error: unknown) => {
    throw asDiskError(error);
  });
  refuse(snapshot.name, checkDatabase(target));
  const clock = new VirtualClock();
  const state = opened(snapshot.name, target, clock);
  try {
    if (schemaOf(state) !== schema) refuse(snapshot.name, { damage: FOREIGN });
    const unfit = unfitValue(state);
    if (unfit) refuse(snapshot.name, { damage: unfit });
    await state.transact((tx) => {
      writeSetting(tx, 'clock', clockOf(snapshot, clock.real()));
      failOpen(tx, UNSENT);
    });
    return allFiles(state);
  } finally {
    state.close();
    clock.clear();
  }
}

/** A schema that is not what its number says cannot be brought to this version's. */
function opened(name: string, file: string, clock: VirtualClock): Database {
  try {
    return new Database({ file, durable: false, clock });
  } catch (error) {
    if (!(error instanceof EmulatorError)) refuse(name, { damage: FOREIGN });
    throw error;
  }
}

/** A frozen clock stays frozen; a running one continues from the moment of the snapshot. */
function clockOf({ now, frozen }: StateToPrepare['snapshot'], real: number): ClockState {
  return { offset: now - real, frozenAt: frozen ? now : null };
}

function refuse(name: string, fault: ReturnType<typeof checkDatabase>): void {
  if (!fault) return;
  const text =
    'newer' in fault
      ? `was made by a newer svc-emulator (its schema is ${fault.newer}, this one knows ${fault.known}). Upgrade, or save it anew.`
      : `is damaged (${fault.damage}). Remove it with DELETE /_emulator/snapshots/${name}, and save or import it anew.`;
  throw invalid('name', `The snapshot "${name}" ${text} The state is as before.`);
}
