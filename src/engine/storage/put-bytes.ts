import { rm, writeFile } from 'node:fs/promises';
import { asDiskError } from '../../base/errors.ts';
import type { FilePins, Files } from './files.ts';

/** Writes bytes under their SHA-256, unless they are there already. Throws `storage_full`. Follow it as `place`. */
export async function putBytes(
  files: Files,
  pins: FilePins,
  { bytes, sha256 }: { bytes: Buffer; sha256: string },
): Promise<void> {
  if (pins.find(sha256)) return;
  const scratch = files.orderedPath();
  try {
    await writeFile(scratch, bytes);
  } catch (error) {
    await rm(scratch, { force: true });
    throw asDiskError(error);
  }
  await pins.place(scratch, sha256);
}
